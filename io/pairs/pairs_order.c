/*
 * pairs_order.c - hits in order.
 */
#include "io/pairs/pairs_order.h"

#include "io/base/logmsg.h"

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

status_t pairs_order_keep(pairs_order_t order, int64_t top, void *entries, size_t bytes,
                          int64_t *n)
{
    pairs_hit_t *hits = malloc((size_t)*n * sizeof(*hits) + 1), hit;
    char *at = entries;
    int64_t n_kept = 0;

    if (hits == NULL)
        return log_nomem("the best hits");
    for (int64_t first = 0, end; first < *n; first = end) {
        for (end = first; end < *n; end++) {
            memcpy(&hits[end - first], at + (size_t)end * bytes, sizeof(*hits));
            if (hits[end - first].row != hits[0].row)
                break;
        }
        pairs_order_sort(order, hits, end - first);
        for (int64_t k = first; k < end; k++) {
            memcpy(&hit, at + (size_t)k * bytes, sizeof(hit));
            if (end - first <= top ||
                pairs_order_compare(order, &hit, &hits[top - 1]) >= 0)
                memmove(at + (size_t)n_kept++ * bytes, at + (size_t)k * bytes, bytes);
        }
    }
    *n = n_kept;
    free(hits);
    return ST_OK;
}
