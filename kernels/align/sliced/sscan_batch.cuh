/*
 * sscan_batch.cuh - scores of the pairs of a batch with affine gaps and counted ends, 32
 * pairs per thread; and lower bounds of them, which other kernels prove bands with.
 *
 * Bands take two rounds.  In the first one each pair is swept in a narrow band; the score
 * found there proves the band of the second one (score_band.h), which pairs skip whose
 * first band was as wide.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"

struct sscan_t;

/* @return whether scores of pairs of at most len letters can be computed */
bool sscan_holds(const align_spec_t *spec, int64_t len);

/* @return whether lower bounds of them can be, with ends that score no less than counted
 *         ones */
bool sscan_bounds(const align_spec_t *spec, int64_t len);

/*
 * Prepare.  Everything in the context is borrowed, and so is the batch.
 *
 * @param max_len  letters of a sequence, which one of both takes
 * @param divisor  the lines take at most this fraction of a slot's scratch, 1 / divisor
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t sscan_create(const align_context_t *context, cuda_batch_t *batch, int max_len,
                      int divisor, sscan_t **out) MUST_CHECK;

/* Enqueue: compute the scores. */
status_t sscan_run(sscan_t *s, const cuda_work_t *work) MUST_CHECK;

/* Enqueue: compute lower bounds of the scores, in the place of these: the best ones in
 * narrow bands, which nearly all are the scores. */
status_t sscan_run_bounds(sscan_t *s, const cuda_work_t *work) MUST_CHECK;

/* Takes NULL; no batch may be in flight. */
void sscan_destroy(sscan_t *s);
