/*
 * edit_filter_bound.h - how many edits an alignment may have that reaches an identity c,
 * by where it ends.
 *
 * Let an alignment have C columns, M of them matches with M >= c C, and e = C - M others;
 * so e <= (1 - c) C.  Rows are the query's letters, columns the target's.  If it ends in
 * cell (i, j) it has at most i letters of the query and j of the target in columns, and
 * as each column that lacks one of them is one of the e,
 *
 *    C <= min(i, j) + e,   hence   c e <= (1 - c) min(i, j).
 *
 * F(i, j), the least edits of the paths to the cell from a border that is free, or from
 * the corner, is no more than e.  So a pair that reaches c has an end with
 *
 *    c F(i, j) <= (1 - c) min(i, j).
 *
 * Counted ends: there is one end, (m, n).  The query's ends counted: (m, j).  Free ends:
 * (m, j) and (i, n); and as C >= L = ceil(min_overlap x min(m, n)), only those with
 * min(i, j) >= c L, for min(i, j) >= C - e >= c C.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_BOUND_H
#define RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_BOUND_H

#include "kernels/align/filter/filter_bound.h"

typedef struct {
    filter_goal_t goal; /* what is asked for */
    int32_t
        *most; /* [n] floor((1 - c) k / c) for k = 0 .. n-1, the k letters of an end */
    int64_t n;
} edit_filter_bound_t;

/* Make the table for sequences of at most max_len letters.
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE (c is no part of 1, or 0, which all pairs reach) */
status_t edit_filter_bound_create(const align_spec_t *spec, fraction_t part,
                                  int64_t max_len, edit_filter_bound_t *out) MUST_CHECK;

void edit_filter_bound_free(edit_filter_bound_t *bound);

/* @return the least min(i, j) of an end that counts, of a pair whose shorter sequence has
 *         so many letters; 1 at least, as there has to be a match */
int32_t edit_filter_bound_min_end(const edit_filter_bound_t *bound, int64_t shorter);

#endif
