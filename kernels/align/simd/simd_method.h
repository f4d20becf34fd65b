/*
 * simd_method.h - how a kind of pairs is aligned: by which scores, in which layouts, and
 * what proves bands.
 *
 * A matrix may score A, C, G and T by a match and a mismatch alone, as NUC.4.4 does.
 * Pairs without ambiguity codes are then aligned by these two values, in narrower lanes
 * and in bands.  If all codes score 0 (align_scoring_t.neutral), pairs with codes are
 * swept in 8-bit lanes, too, which proves bands and yields known scores.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_METHOD_H
#define RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_METHOD_H

#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/common/band_width.h"
#include "kernels/align/simd/simd_group.h"

typedef struct {
    align_spec_t spec;
    bool bits;           /* bit-parallel */
    bool scores_first;   /* scores are computed before identities */
    bool guards;         /* this proves bands */
    cell_layout_t first; /* its layout */
    bool profiles;       /* pairs that share their rows have SWEEP_8_PROFILE */
    band_width_t *band;  /* NULL: no estimated bands */
} simd_method_t;

/*
 * Decide how pairs are aligned under a spec, which may be another than that of context.
 *
 * @param bits  for the backend bscan
 * @return ST_OK or ST_ENOMEM; the caller frees it
 */
status_t simd_method_create(const align_context_t *context, const align_spec_t *spec,
                            bool bits, simd_method_t *out) MUST_CHECK;

void simd_method_free(simd_method_t *method);

/* @return the width of a pair's band, or SIMD_BAND_NONE */
int32_t simd_method_band(const simd_method_t *method, const seqset_t *set, pair_t pair);

/* Choose the layout of a group's lanes. @return whether there is one */
bool simd_method_layout(const simd_method_t *method, const simd_pair_t *pairs,
                        int64_t n_pairs, cell_layout_t *out);

/* @return whether a pair's score is of use before its identity is computed */
static inline bool simd_method_needs_score(const simd_method_t *method,
                                           const simd_pair_t *pair)
{
    return method->scores_first && !pair->scored && !pair->exact &&
           (pair->band != SIMD_BAND_NONE || method->first.affine) &&
           (!method->profiles || pair->shared > 0);
}

/* @return whether a matrix scores plain bases by two values. @param out  with these */
bool simd_method_plain_spec(const align_spec_t *spec, align_spec_t *out);

#endif
