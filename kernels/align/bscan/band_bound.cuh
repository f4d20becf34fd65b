/*
 * band_bound.cuh - bounds what leaving a band can score: proves the bands of identities
 * with free ends, 32 cells a word (band_bound_sweep.cuh has the proof).
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BSCAN_BAND_BOUND_CUH
#define RIBOGRID_KERNELS_ALIGN_BSCAN_BAND_BOUND_CUH

#include "kernels/align/cuda/cuda_batch.cuh"

struct band_bound_t;

/* Columns from one sample of a sweep to the next. */
constexpr int BAND_BOUND_SPAN = 32;

/* @return whether there are bounds: the scoring has to be two-valued, a match to be worth
 *         two mismatches and a gap to cost no more than one, in gap-normalised steps */
bool band_bound_applies(const align_spec_t *spec);

/*
 * Get ready for the batches of a set; all is borrowed until destroy.
 *
 * @param batch  has the set on the device
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t band_bound_create(const device_t *device, const seqset_t *set,
                           const align_spec_t *spec, const cuda_batch_t *batch,
                           band_bound_t **out) MUST_CHECK;

/*
 * Enqueue the bounds of a batch's pairs, of m and n letters.
 *
 * @param w        BAND_BOUND_SPAN at least, of the bands -w - max(m - n, 0) <= j - i <=
 *                 w + max(n - m, 0)
 * @param guarded  [n] one more than any path that leaves the band scores; INT_MAX where
 *                 there is no bound; left as it is where min(m, n) < 3 w
 */
status_t band_bound_run(band_bound_t *b, const cuda_work_t *work, int w,
                        int *guarded) MUST_CHECK;

/* Takes NULL; nothing may be under way. */
void band_bound_destroy(band_bound_t *b);

#endif
