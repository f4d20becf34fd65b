/*
 * band_bound.cuh - bounds the scores of the paths that leave a band, 32 cells per
 * operation. This proves the bands of identities with free ends; band_bound_sweep.cuh has
 * the proof.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"

struct band_bound_t;

/* Columns between two samples of a sweep. */
constexpr int BAND_BOUND_SPAN = 32;

/* @return whether there is a bound for this scoring. It has to be two-valued; in
 *         gap-normalised steps a match has to be worth two mismatches, and a gap at most
 *         one. */
bool band_bound_applies(const align_spec_t *spec);

/*
 * Prepare for the batches of a set; everything is borrowed until destroy.
 *
 * @param batch  holds the set on the device
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t band_bound_create(const device_t *device, const seqset_t *set,
                           const align_spec_t *spec, const cuda_batch_t *batch,
                           band_bound_t **out) MUST_CHECK;

/*
 * Enqueue the bounds of a batch's pairs, of m and n bases.
 *
 * @param w        at least BAND_BOUND_SPAN; the band is -w - max(m - n, 0) <= j - i <= w
 *                 + max(n - m, 0)
 * @param banded   [n] which pairs get a bound, not 0: of these both sequences have at
 *                 least w + BAND_BOUND_SPAN bases; set to 0 where a pair is too long for
 *                 one
 * @param guarded  [n] out: one more than the maximum score of the paths that leave the
 *                 band
 */
status_t band_bound_run(band_bound_t *b, const cuda_work_t *work, int w,
                        unsigned char *banded, int *guarded) MUST_CHECK;

/* Takes NULL; nothing may be in flight. */
void band_bound_destroy(band_bound_t *b);
