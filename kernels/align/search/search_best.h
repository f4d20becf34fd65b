/*
 * search_best.h - the best hits of each query so far; shared by threads.
 *
 * pairs_order.h says which hit is better.  All hits that tie with the last of the best
 * belong to them.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SEARCH_SEARCH_BEST_H
#define RIBOGRID_KERNELS_ALIGN_SEARCH_SEARCH_BEST_H

#include "io/base/status.h"
#include "io/pairs/pairs_order.h"

#include <stdbool.h>

typedef struct search_best search_best_t;

/*
 * @param n_best  at least 1
 * @param rivals  whether the best hit outside the group of the best one counts as one of
 *                the best
 * @return ST_OK or ST_ENOMEM
 */
status_t search_best_create(pairs_order_t order, int64_t n_queries, int64_t n_best,
                            bool rivals, search_best_t **out) MUST_CHECK;

/*
 * Note a hit.
 *
 * @param hit    that of the same column may be noted again
 * @param group  of its target; with rivals only
 * @return false: it cannot be among the best, whatever comes later; true: it may be
 */
bool search_best_note(search_best_t *best, int64_t query, const pairs_hit_t *hit,
                      int32_t group);

/*
 * Get the last of the best hits, while no thread notes any.
 *
 * @param out  score, matches and columns
 * @return whether there is one; if not, fewer hits than wanted have been noted
 */
bool search_best_last(const search_best_t *best, int64_t query, pairs_hit_t *out);

/* Forget all hits of a query. */
void search_best_forget(search_best_t *best, int64_t query);

/* Takes NULL. */
void search_best_destroy(search_best_t *best);

#endif
