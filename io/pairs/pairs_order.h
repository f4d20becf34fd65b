/*
 * pairs_order.h - orders of hits: which hit of a query is the better one.
 */
#pragma once

#include "io/base/status.h"
#include "io/pairs/pairs_file.h"

/* As in the file: by row, then by column; or within each row the best first, by identity,
 * then matches; or by score before these: short local alignments of high identity are not
 * the best ones; or by E-value, then score: only to print a file. */
typedef enum {
    PAIRS_BY_ROW,
    PAIRS_BY_IDENTITY,
    PAIRS_BY_SCORE,
    PAIRS_BY_EVALUE
} pairs_order_t;

/* The words of an option, in the order of pairs_order_t. */
#define PAIRS_ORDER_WORDS "row|identity|score|evalue"

/* @return more than 0 if a is better than b, 0 if they tie; both have columns > 0, or
 *         both have none */
static inline int pairs_order_compare(pairs_order_t order, const pairs_hit_t *a,
                                      const pairs_hit_t *b)
{
    int64_t left = (int64_t)a->matches * b->columns;
    int64_t right = (int64_t)b->matches * a->columns;

    if (order == PAIRS_BY_SCORE && a->score != b->score)
        return a->score > b->score ? 1 : -1;
    if (left != right)
        return left > right ? 1 : -1;
    return (a->matches > b->matches) - (a->matches < b->matches);
}

/* Sort the hits of one query, the best first; ties are in the order of columns. */
void pairs_order_sort(pairs_order_t order, pairs_hit_t *hits, int64_t n);

/* Hits per query that may be kept as the best. */
enum { PAIRS_TOP_MAX = 10000 };

/*
 * Keep the best hits of each row, and all that tie with the last of them, in place.
 *
 * @param top      at least 1
 * @param entries  [*n] of `bytes` each, which begin with a pairs_hit_t; sorted by row
 * @param n        in, out
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t pairs_order_keep(pairs_order_t order, int64_t top, void *entries, size_t bytes,
                          int64_t *n) MUST_CHECK;

/* @return the order in which a file is printed by default: of a search by E-value, else
 *         that by which its best hits were chosen (`align --top`), else by row */
pairs_order_t pairs_order_default(const pairs_file_t *file);

/* Check that a file has what it is to be ordered by. @return ST_OK or ST_EINPUT (logged)
 */
status_t pairs_order_check(const pairs_file_t *file, pairs_order_t order) MUST_CHECK;
