/*
 * edit_filter_last_column.h - tests all cells of a pair's last column, which may all be
 * ends if ends are free.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_LAST_COLUMN_H
#define RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_LAST_COLUMN_H

#include "kernels/align/edits/edit_filter_bound.h"

enum { EDIT_FILTER_ROWS = 64 }; /* rows per word of a lane: a block */

/* The last column of one lane, as edit_filter_sweep.h leaves it: for each block of 64
 * rows a word of the rows where F is one more than in the row above (`more`), and a word
 * of those where it is one less. */
typedef struct {
    const uint64_t *more;
    int less;   /* words from `more` of a block to `less` of the same block */
    int stride; /* words from a block to the next */
} edit_filter_column_t;

/*
 * Test the cells (1, n) .. (m, n).
 *
 * @param edits  F(0, n)
 * @return whether F is within the bound in one of them
 */
bool edit_filter_last_column(const edit_filter_bound_t *bound,
                             edit_filter_column_t column, int32_t m, int32_t n,
                             int64_t edits);

#endif
