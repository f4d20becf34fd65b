/*
 * length_spread.c - the median of the lengths, and the number of those below half of it.
 */
#include "graph/cluster/cluster_methods.h"

#include "io/base/compare.h"

#include <stdlib.h>

length_spread_t length_spread_of(int64_t *lengths, int64_t n)
{
    length_spread_t s = {0};

    qsort(lengths, (size_t)n, sizeof(*lengths), compare_int64);
    s.median = lengths[n / 2];
    s.min = lengths[0];
    while (s.n_short < n && lengths[s.n_short] < s.median - s.median / 2)
        s.n_short++;
    return s;
}
