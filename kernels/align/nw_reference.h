/*
 * nw_reference.h - the definition: the canonical global alignment of two sequences.
 *
 * Needleman and Wunsch 1970 with linear gaps, in the plainest form: cells are
 * (score, matches, columns), compared in that order, fewer columns being better.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_NW_REFERENCE_H
#define RIBOGRID_KERNELS_ALIGN_NW_REFERENCE_H

#include "kernels/align/align_spec.h"

typedef struct {
    int64_t score, matches, columns;
} nw_cell_t;

/*
 * Align one pair.
 *
 * @param a, b  [m], [n] codes; m, n >= 1
 * @param row   [n + 1] scratch
 * @return the canonical alignment's numbers, min_overlap not yet applied
 */
nw_cell_t nw_reference_pair(const align_spec_t *spec, const uint8_t *a, int64_t m,
                            const uint8_t *b, int64_t n, nw_cell_t *row);

#endif
