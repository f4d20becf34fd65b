/*
 * comp_align.h - local alignments of pairs of proteins, each with scores of its own for
 * its composition.
 */
#pragma once

#include "io/base/buf.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/align/composition/comp_scores.h"
#include "kernels/device/device.h"

/* For one thread at a time; its memory grows on demand. */
typedef struct comp_align comp_align_t;

/*
 * @param spec    of local alignments of proteins, with affine gaps; copied
 * @param law     of its matrix; borrowed until destroy
 * @param cancel  as in align_run_t
 * @param level   vectors that may be used
 * @return ST_OK or ST_ENOMEM
 */
status_t comp_align_create(const align_spec_t *spec, const comp_law_t *law,
                           comp_mode_t how, const int *cancel, simd_level_t level,
                           comp_align_t **out) MUST_CHECK;

/* Set the scores for a pair, which comp_align_pair and comp_align_trace then align. */
void comp_align_set(comp_align_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                    int64_t n);

/* @return the spec with the scores that were set, in units of 1 / COMP_UNIT: for residues
 *         of the definition's rows by those of its columns (nw_reference.h) */
const align_spec_t *comp_align_spec(const comp_align_t *t);

/* Align the pair. @param out  the numbers of the canonical alignment under
 * comp_align_spec @return ST_OK or ST_ENOMEM */
status_t comp_align_pair(comp_align_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                         int64_t n, nw_cell_t *out) MUST_CHECK;

/* Append the runs of the alignment that comp_align_pair has found, with columns > 0.
 * @return ST_OK or ST_ENOMEM */
status_t comp_align_trace(comp_align_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                          int64_t n, const nw_cell_t *known, buf_t *runs) MUST_CHECK;

/* @return a score of comp_align_pair in units of the matrix, rounded */
static inline int64_t comp_align_round(int64_t score)
{
    return (score + COMP_UNIT / 2) / COMP_UNIT;
}

/* Takes NULL. */
void comp_align_destroy(comp_align_t *t);
