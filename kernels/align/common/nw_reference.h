/*
 * nw_reference.h - the definition: the canonical global alignment of two sequences.
 *
 * Needleman and Wunsch 1970 with linear gaps, in the plainest form: cells are
 * (score, matches, columns), compared in that order, fewer columns being better.
 *
 * Of the alignments with the best score, then the most matches, then the fewest columns,
 * one is taken by the rule below, under which aligning (b, a) gives the mirror image of
 * (a, b), I and D swapped (where the two sequences' ends are treated alike):
 *
 *  - Rows are the shorter sequence; of two as long the one whose codes are smaller
 *    (memcmp); of equal ones the query, for there no rule can tell them apart.
 *  - The path is followed backwards from cell (m, n).  Where ends are free it first goes
 *    along the border, free, to the best end cell: of equal ones that with the largest
 *    row, then the largest column.
 *  - From a cell (i, j) it takes, of the steps that give the cell its value (score,
 *    matches and columns), the diagonal one, else the one that consumes a row's letter
 *    (from (i-1, j)), else the one that consumes a column's (from (i, j-1)).
 *  - At row 0 or column 0 what is left of the other sequence is one gap.
 *
 * A CIGAR consumes every letter of both sequences.  With free ends its first run and its
 * last are terminal gaps if they are I or D: they cost nothing and are no columns.  All
 * other runs are columns, also one of I next to a terminal D: where a mismatch is dearer
 * than a gap, both sequences may hang over, one of them at a cost.  (No gap is free in
 * part, for then all of it could be.)  With the query's ends counted only D is terminal.
 * = are columns that count as matches, X those that do not.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_NW_REFERENCE_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_NW_REFERENCE_H

#include "kernels/align/common/align_run.h"
#include "kernels/align/common/align_spec.h"

#include <string.h>

typedef struct {
    int64_t score, matches, columns;
} nw_cell_t;

/*
 * Align one pair.
 *
 * @param a, b  [m], [n] codes of query and target; m, n >= 1
 * @param row   [n + 1] scratch
 * @return the canonical alignment's numbers, min_overlap not yet applied
 */
nw_cell_t nw_reference_pair(const align_spec_t *spec, const uint8_t *a, int64_t m,
                            const uint8_t *b, int64_t n, nw_cell_t *row);

/* The same; once cancelled (align_run.h), it may return early with meaningless numbers.
 */
nw_cell_t nw_reference_pair_until(const align_spec_t *spec, const int *cancel,
                                  const uint8_t *a, int64_t m, const uint8_t *b,
                                  int64_t n, nw_cell_t *row);

/* @return whether a's letters are the rows, a being the query */
static inline bool nw_reference_query_is_rows(const uint8_t *a, int64_t m,
                                              const uint8_t *b, int64_t n)
{
    return m != n ? m < n : memcmp(a, b, (size_t)m) <= 0;
}

/*
 * Align one pair and tell its canonical alignment.
 *
 * @param a, b   [m], [n] codes of query and target; m, n >= 1
 * @param cells  [(m + 1) * (n + 1)] scratch
 * @param runs   [m + n] out: as io/seq/cigar.h has them, the first first
 * @return the number of runs; 0 if there are no columns
 */
int64_t nw_reference_cigar(const align_spec_t *spec, const uint8_t *a, int64_t m,
                           const uint8_t *b, int64_t n, nw_cell_t *cells, uint32_t *runs);

#endif
