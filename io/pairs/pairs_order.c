/*
 * pairs_order.c - hits in order.
 */
#include "io/pairs/pairs_order.h"

#include <stdlib.h>
#include <string.h>

static int best_first(const void *x, const void *y, void *order)
{
    const pairs_hit_t *a = x, *b = y;
    const int rank = pairs_order_compare(*(pairs_order_t *)order, b, a);

    return rank != 0 ? rank : (a->col > b->col) - (a->col < b->col);
}

void pairs_order_sort(pairs_order_t order, pairs_hit_t *hits, int64_t n)
{
    if (n > 1)
        qsort_r(hits, (size_t)n, sizeof(*hits), best_first, &order);
}

pairs_hit_t pairs_order_last(pairs_order_t order, const pairs_hit_t *hits, int64_t n,
                             int64_t top, pairs_hit_t *scratch)
{
    memcpy(scratch, hits, (size_t)n * sizeof(*hits));
    pairs_order_sort(order, scratch, n);
    return scratch[top - 1];
}
