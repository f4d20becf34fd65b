/*
 * band_choice.cuh - chooses the pairs that are aligned in guarded bands.
 *
 * A guarded band costs a bound and a sweep of the band, and then the whole matrix if the
 * proof fails.  It pays if the band leaves out enough of the matrix, which it does not
 * for a piece that may lie anywhere in a much longer sequence, and if the proof succeeds
 * for enough of the pairs.  Whether it does depends on how similar the two sequences are,
 * and on the scores.  So a device counts by similarity how many pairs were aligned in a
 * band, and for how many of them the band was proved.  Where most proofs fail, only few
 * pairs still get a band, because later ones may differ.  Results do not depend on this.
 *
 * Similarity is that of k-mers (shared ones, in steps of 1/64).  Where scores have lower
 * bounds, these take its place, and bands have several widths: unlike pairs, and those
 * whose sequences overhang each other, have proofs in wider bands.  For a class of pairs
 * the width is chosen that costs least by what the device has counted, and one pair in 64
 * tries each of the widths.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"

struct band_choice_t;

/* What came of the bands of one similarity and width.  Of the pairs whose width is not
 * tried, but chosen, only those are counted whose index in the batch is a multiple of
 * BAND_CHOICE_SAMPLE. */
struct band_outcome_t {
    unsigned long long n_tried, n_proved;
};

enum {
    BAND_CHOICE_SAMPLE = 16,
    BAND_CHOICE_TRIES = 64,   /* one pair in so many tries a width in any case */
    BAND_CHOICE_CLASSES = 64, /* of similarity */
    BAND_CHOICE_WIDTHS = 3
};

/* How pairs are classed. */
struct band_choice_by_t {
    int match;      /* lower bounds of scores say how similar pairs are: what a column
                     * scores at most; 0: k-mers do, and bands have one width */
    bool has_codes; /* whether bands are guarded, too, where both sequences have codes */
};

/* @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t band_choice_create(const align_context_t *context, const cuda_batch_t *batch,
                            band_choice_by_t by, band_choice_t **out) MUST_CHECK;

/* @return on the device: what came of the bands, by `banded` less 1 */
band_outcome_t *band_choice_outcomes(const band_choice_t *c);

/*
 * Enqueue the choice for a batch's pairs, whose scores are the bounds.
 *
 * @param w         of the narrowest bands
 * @param banded    [n] out: 0: no band; otherwise 1 + the similarity of the pair +
 *                  BAND_CHOICE_CLASSES * the width
 * @param n_banded  pairs with a band are added to it; may be NULL
 */
status_t band_choice_run(const band_choice_t *c, const cuda_work_t *work, int w,
                         unsigned char *banded, unsigned long long *n_banded) MUST_CHECK;

/* Takes NULL; nothing may be in flight. */
void band_choice_destroy(band_choice_t *c);

#ifdef __CUDACC__
/* @return w of a width, 0 .. BAND_CHOICE_WIDTHS - 1, as a multiple of the narrowest one
 */
__host__ __device__ inline int band_choice_times(int width)
{
    return width == 0 ? 1 : width == 1 ? 2 : 6;
}

/* @return the same of the band of a pair. @param banded  of band_choice_run */
__host__ __device__ inline int band_choice_times_of(unsigned char banded)
{
    return banded == 0 ? 1 : band_choice_times((banded - 1) / BAND_CHOICE_CLASSES);
}

/* @return the width that a pair tries; BAND_CHOICE_WIDTHS or more: none
 * @param index  of the pair in the batch */
__device__ inline unsigned band_choice_tried(unsigned index)
{
    return index / BAND_CHOICE_SAMPLE % BAND_CHOICE_TRIES;
}

/* Count a pair that was aligned in its band. */
__device__ inline void band_choice_note(band_outcome_t *outcomes, unsigned index,
                                        unsigned char banded, bool proved)
{
    if (index % BAND_CHOICE_SAMPLE != 0 && band_choice_tried(index) >= BAND_CHOICE_WIDTHS)
        return;
    atomicAdd(&outcomes[banded - 1].n_tried, 1ull);
    if (proved)
        atomicAdd(&outcomes[banded - 1].n_proved, 1ull);
}
#endif
