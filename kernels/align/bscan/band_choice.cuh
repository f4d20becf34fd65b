/*
 * band_choice.cuh - chooses the pairs that are aligned in guarded bands.
 *
 * A guarded band costs a bound and a sweep of the band, and then the whole matrix if the
 * proof fails.  It pays if the band leaves out enough of the matrix, which it does not
 * for a piece that may lie anywhere in a much longer sequence, and if the proof succeeds
 * for at least half of the pairs.  Whether it does depends on how similar the two
 * sequences are, and on the scores.  So a device counts by similarity (shared k-mers, in
 * steps of 1/64) how many pairs were aligned in a band, and for how many of them the band
 * was proved.  Where most proofs fail, only one pair in 64 still gets a band, because
 * later pairs may differ.  Results do not depend on this.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"

struct band_choice_t;

/* What came of the bands of one similarity.  Only pairs whose index in the batch is a
 * multiple of BAND_CHOICE_SAMPLE are counted. */
struct band_outcome_t {
    unsigned long long n_tried, n_proved;
};

enum { BAND_CHOICE_SAMPLE = 16 };

/* @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t band_choice_create(const align_context_t *context, const cuda_batch_t *batch,
                            band_choice_t **out) MUST_CHECK;

/* @return on the device: what came of the bands, by similarity */
band_outcome_t *band_choice_outcomes(const band_choice_t *c);

/*
 * Enqueue the choice for a batch's pairs.
 *
 * @param w         of the bands
 * @param banded    [n] out: 0: no band; otherwise 1 + the similarity of the pair
 * @param n_banded  pairs with a band are added to it; may be NULL
 */
status_t band_choice_run(const band_choice_t *c, const cuda_work_t *work, int w,
                         unsigned char *banded, unsigned long long *n_banded) MUST_CHECK;

/* Takes NULL; nothing may be in flight. */
void band_choice_destroy(band_choice_t *c);

#ifdef __CUDACC__
/* Count a pair that was aligned in its band. */
__device__ inline void band_choice_note(band_outcome_t *outcomes, unsigned index,
                                        unsigned char banded, bool proved)
{
    if (index % BAND_CHOICE_SAMPLE != 0)
        return;
    atomicAdd(&outcomes[banded - 1].n_tried, 1ull);
    if (proved)
        atomicAdd(&outcomes[banded - 1].n_proved, 1ull);
}
#endif
