/*
 * pairs_order.c - hits in order, and which order a file has or can have.
 */
#include "io/pairs/pairs_order.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

static int best_first(pairs_order_t order, const pairs_hit_t *a, const pairs_hit_t *b)
{
    const int rank = pairs_order_compare(order, b, a);

    return rank != 0 ? rank : (a->col > b->col) - (a->col < b->col);
}

static int by_identity(const void *a, const void *b)
{
    return best_first(PAIRS_BY_IDENTITY, a, b);
}

static int by_score(const void *a, const void *b)
{
    return best_first(PAIRS_BY_SCORE, a, b);
}

void pairs_order_sort(pairs_order_t order, pairs_hit_t *hits, int64_t n)
{
    if (n > 1)
        qsort(hits, (size_t)n, sizeof(*hits),
              order == PAIRS_BY_SCORE ? by_score : by_identity);
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
    if (pairs_top(f) == 0)
        return PAIRS_BY_ROW;
    return pairs_ends_local(f) ? PAIRS_BY_SCORE : PAIRS_BY_IDENTITY;
}

status_t pairs_order_check(const pairs_file_t *f, pairs_order_t order)
{
    if (order != PAIRS_BY_IDENTITY || pairs_n_datasets(f) != PAIRS_N_SCORE)
        return ST_OK;
    log_error("%s: the file holds only scores; sort by score, or align with --emit "
              "identity",
              pairs_path(f));
    return ST_EINPUT;
}
