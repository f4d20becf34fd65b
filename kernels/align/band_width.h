/*
 * band_width.h - how wide a pair's band should be, from an estimate of its identity.
 *
 * A guess: whether the band was wide enough is proved afterwards, from the result
 * (simd_form_certifies).
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BAND_WIDTH_H
#define RIBOGRID_KERNELS_ALIGN_BAND_WIDTH_H

#include "kernels/align/align_spec.h"

/* The whole matrix: a band would save too little. */
enum { BAND_WIDTH_NONE = -1, BAND_WIDTH_STEP = 16 };

typedef struct band_width band_width_t;

/* What a letter adds to what the certificate asks for: a match, a mismatch, a gap. */
typedef struct {
    double match, mismatch, gap;
} band_steps_t;

/* The band is as wide as an identity would need that is less than the estimate by this:
 * more than nine of ten pairs of real 16S genes are then proved at the first try. */
#define BAND_WIDTH_MARGIN 0.05
/* Of the shorter sequence's letters that do not match, so many stand against another
 * letter, and so many gap letters there are for each (medians of real 16S genes). */
#define BAND_WIDTH_MISMATCHES 0.75
#define BAND_WIDTH_GAPS       0.5
/* A band that leaves less than this of the matrix out is not worth its failures. */
#define BAND_WIDTH_WORTH 0.08

#ifdef __CUDACC__
#define BAND_WIDTH_FN __host__ __device__ static inline
#else
#define BAND_WIDTH_FN static inline
#endif

/* @return w for m <= n letters of an estimated identity, or BAND_WIDTH_NONE */
BAND_WIDTH_FN int32_t band_width_for(band_steps_t steps, double estimate, double m,
                                     double n)
{
    double identity = estimate - BAND_WIDTH_MARGIN, found, w;

    if (identity <= 0)
        return BAND_WIDTH_NONE;
    /* a path of D matches alone must not do as well: D = m - w - 1 */
    found = identity * steps.match +
            (1 - identity) *
                (BAND_WIDTH_MISMATCHES * steps.mismatch + BAND_WIDTH_GAPS * steps.gap);
    w = m - m * found / steps.match;
    if (w < 1)
        w = 1;
    if ((m - w) * (m - w) < BAND_WIDTH_WORTH * m * n) /* two triangles are left out */
        return BAND_WIDTH_NONE;
    return ((int32_t)w / BAND_WIDTH_STEP + 1) * BAND_WIDTH_STEP;
}

/* @return the steps of a scoring */
band_steps_t band_width_steps(const align_spec_t *spec);

/* @return whether there is a proof for bands under a scoring */
bool band_width_applies(const align_spec_t *spec);

/* Get ready for a set; borrowed until destroy. @return ST_OK or ST_ENOMEM */
status_t band_width_create(const seqset_t *set, const align_spec_t *spec,
                           band_width_t **out) MUST_CHECK;

/* @return w of the band -w <= j - i <= (n - m) + w for sequences a and b, a multiple of
 *         BAND_WIDTH_STEP, or BAND_WIDTH_NONE */
int32_t band_width_of(const band_width_t *b, int64_t query, int64_t target);

/*
 * The same for bands that a guarded sweep proves (simd_diff_body.h), whatever the
 * identity: wide enough for the starts and gaps of related genes.
 *
 * @param m  letters of the shorter sequence
 */
int32_t band_width_guarded(int32_t m);

/* Takes NULL. */
void band_width_destroy(band_width_t *b);

#endif
