/*
 * pairs_top.h - the best hits of each query.
 *
 * All hits that tie with the last of the best are kept.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_TOP_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_TOP_H

#include "io/base/status.h"
#include "io/pairs/pairs_format.h"

#include <stdbool.h>

enum { PAIRS_TOP_MAX = 10000 };

/* By identity, then matches; or by score first: short local alignments of high identity
 * are not the best ones. */
typedef enum { PAIRS_TOP_BY_IDENTITY, PAIRS_TOP_BY_SCORE } pairs_top_order_t;

/* @return more than 0 if a is better than b, 0 if they tie; both have columns > 0 */
static inline int pairs_top_compare(pairs_top_order_t order, const pairs_hit_t *a,
                                    const pairs_hit_t *b)
{
    int64_t left = (int64_t)a->matches * b->columns;
    int64_t right = (int64_t)b->matches * a->columns;

    if (order == PAIRS_TOP_BY_SCORE && a->score != b->score)
        return a->score > b->score ? 1 : -1;
    if (left != right)
        return left > right ? 1 : -1;
    return (a->matches > b->matches) - (a->matches < b->matches);
}

/*
 * Find the worst hit that is still among the best.
 *
 * @param hits     [n] of one query, n >= top
 * @param scratch  [n]
 * @return the hit at place `top`: keep every hit that is not worse
 */
pairs_hit_t pairs_top_last(pairs_top_order_t order, const pairs_hit_t *hits, int64_t n,
                           int64_t top, pairs_hit_t *scratch);

/* The best hits of each query so far; shared by threads. */
typedef struct pairs_top pairs_top_t;

/* @return ST_OK or ST_ENOMEM */
status_t pairs_top_create(pairs_top_order_t order, int64_t n_queries, int64_t top,
                          pairs_top_t **out) MUST_CHECK;

/*
 * Note a hit, unless `top` better ones of its query have been noted before.
 *
 * @return false: the hit cannot be among the best, whatever comes later; true: it may be
 */
bool pairs_top_note(pairs_top_t *t, const pairs_hit_t *hit);

/* Takes NULL. */
void pairs_top_destroy(pairs_top_t *t);

#endif
