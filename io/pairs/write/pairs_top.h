/*
 * pairs_top.h - the best hits of each query.
 *
 * All hits that tie with the last of the best are kept.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_TOP_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_TOP_H

#include "io/base/status.h"
#include "io/pairs/pairs_order.h"

#include <stdbool.h>

enum { PAIRS_TOP_MAX = 10000 };

/*
 * Find the worst hit that is still among the best.
 *
 * @param hits     [n] of one query, n >= top
 * @param scratch  [n]
 * @return the hit at place `top`: keep every hit that is not worse
 */
pairs_hit_t pairs_top_last(pairs_order_t order, const pairs_hit_t *hits, int64_t n,
                           int64_t top, pairs_hit_t *scratch);

/* The best hits of each query so far; shared by threads. */
typedef struct pairs_top pairs_top_t;

/* @return ST_OK or ST_ENOMEM */
status_t pairs_top_create(pairs_order_t order, int64_t n_queries, int64_t top,
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
