/*
 * pairs_order.c - hits in order, and which order a file has or can have.
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

pairs_hit_t pairs_order_last(pairs_order_t order, const pairs_hit_t *hits, int64_t n,
                             int64_t top, pairs_hit_t *scratch)
{
    memcpy(scratch, hits, (size_t)n * sizeof(*hits));
    pairs_order_sort(order, scratch, n);
    return scratch[top - 1];
}

pairs_order_t pairs_order_default(const pairs_file_t *f)
{
    if (f->top == 0)
        return PAIRS_BY_ROW;
    return f->ends_local ? PAIRS_BY_SCORE : PAIRS_BY_IDENTITY;
}

status_t pairs_order_check(const pairs_file_t *f, pairs_order_t order)
{
    if (order != PAIRS_BY_IDENTITY || f->n_datasets != PAIRS_N_SCORE)
        return ST_OK;
    log_error("%s: the file holds only scores; sort by score, or align with --emit "
              "identity",
              f->path);
    return ST_EINPUT;
}
