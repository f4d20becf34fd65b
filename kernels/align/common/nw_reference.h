/*
 * nw_reference.h - the definition: the canonical alignment of two sequences.
 *
 * Needleman and Wunsch 1970 with affine gaps (Gotoh 1982), in its plainest form: cells
 * are (score, matches, columns), compared in that order; fewer columns are better. Linear
 * gaps are those whose first base costs as much as the others.  Terminal gaps, those in
 * front of the first and behind the last base of a sequence, may be free or have costs of
 * their own (align_ends_t); they are no columns then.
 *
 * Several alignments may have the same best numbers.  The rules below choose one of them.
 * Aligning (b, a) then yields the mirror image of (a, b), with I and D exchanged, if the
 * ends of both sequences are treated alike.
 *
 *  - The rows are the shorter sequence.  If both are of equal length, they are the one
 *    whose codes are smaller (memcmp); if both are equal, the query, since no rule can
 *    tell them apart.
 *  - The path is followed backwards from cell (m, n).  Where ends are free or priced, it
 *    first runs along the border, as a terminal gap, to the best end cell; among equal
 *    ones to the one with the largest row, then the largest column.
 *  - From cell (i, j) it takes, among the steps that yield the cell's value (score,
 *    matches and columns), the diagonal one, else a gap that consumes rows' bases (from
 *    (i-1, j)), else one that consumes columns' bases (from (i, j-1)).
 *  - Within a gap it takes, of two steps that yield the gap's value, the one that is the
 *    gap's first base: gaps are as short as possible.
 *  - At row 0 or column 0 the rest of the other sequence is one gap.
 *
 * Local alignments (ENDS_LOCAL; Smith and Waterman 1981) are those of any part of one
 * sequence to any part of the other, and the empty one.  The best numbers are chosen and
 * the path is followed by the same rules, but for these:
 *
 *  - An alignment has a score above 0.  If there is none, the pair has the empty one:
 *    score, matches and columns are 0.
 *  - The path ends in any cell: of those with the best numbers, in the one with the
 *    largest row, then the largest column.
 *  - It begins at the first cell, on its way back, of which the empty path is the best
 *    (score, matches and columns 0).  Since gaps cost something, it begins and ends
 *    with a column of two bases.
 *
 * A CIGAR consumes every base of both sequences; = is a column that counts as a match, X
 * one that does not, and M is either if the spec joins columns.  With free ends its first
 * and its last run are terminal gaps if they are I or D: they cost nothing and are no
 * columns.  All other runs are columns, even an I next to a terminal D: where a mismatch
 * costs more than a gap, both sequences may hang over, one of them at a cost.  (A gap is
 * never free in part, since all of it could be free.)  If only the query's ends count,
 * only D can be terminal.  In front of and behind the columns of a local alignment lie
 * the bases outside of it: at either end up to two runs, first that of the rows' bases,
 * then that of the columns'.  So a CIGAR says where in both sequences it begins and ends.
 */
#pragma once

#include "kernels/align/common/align_run.h"
#include "kernels/align/common/align_spec.h"

#include <string.h>

typedef struct {
    int64_t score, matches, columns;
} nw_cell_t;

/* The values of a cell of the matrix: of the best path to it, and of the best one that
 * ends with a gap against the column's base, and against the row's base. */
typedef struct {
    nw_cell_t h, e, f;
} nw_values_t;

/*
 * Align one pair.
 *
 * @param a, b  [m], [n] codes of query and target; m, n >= 1
 * @param row   [n + 1] scratch
 * @return the numbers of the canonical alignment, before min_overlap is applied
 */
nw_cell_t nw_reference_pair(const align_spec_t *spec, const uint8_t *a, int64_t m,
                            const uint8_t *b, int64_t n, nw_values_t *row);

/* The same; once cancelled (align_run.h), it may return early, with any numbers. */
nw_cell_t nw_reference_pair_until(const align_spec_t *spec, const int *cancel,
                                  const uint8_t *a, int64_t m, const uint8_t *b,
                                  int64_t n, nw_values_t *row);

/* @return whether the rows are a, which is the query */
static inline bool nw_reference_query_is_rows(const uint8_t *a, int64_t m,
                                              const uint8_t *b, int64_t n)
{
    return m != n ? m < n : memcmp(a, b, (size_t)m) <= 0;
}

/*
 * Align one pair, and return its canonical alignment.
 *
 * @param a, b   [m], [n] codes of query and target; m, n >= 1
 * @param cells  [(m + 1) * (n + 1)] scratch
 * @param runs   [m + n] out: in the format of io/seq/cigar.h, from the first to the last
 * @return the number of runs; 0 if there are no columns
 */
int64_t nw_reference_cigar(const align_spec_t *spec, const uint8_t *a, int64_t m,
                           const uint8_t *b, int64_t n, nw_values_t *cells,
                           uint32_t *runs);
