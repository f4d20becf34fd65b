/*
 * affine_batch.cuh - batches of pairs with affine gaps or priced ends, for the backend
 * rscan.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ROUNDS_AFFINE_BATCH_CUH
#define RIBOGRID_KERNELS_ALIGN_ROUNDS_AFFINE_BATCH_CUH

#include "kernels/align/cuda/cuda_band_stats.cuh"
#include "kernels/align/cuda/cuda_batch.cuh"

struct affine_batch_t;

/* @return whether pairs of at most len bases are taken; only if align_is_affine */
bool affine_batch_fits(const align_spec_t *spec, int64_t len);

/*
 * Prepare.  Everything in the context is borrowed, and so is the batch.
 *
 * @param max_len    bases of a sequence
 * @param usual_len  bases that few sequences exceed
 * @param stats      on the device: bands are counted there
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t affine_batch_create(const align_context_t *context, cuda_batch_t *batch,
                             int max_len, int usual_len, cuda_band_stats_t *stats,
                             affine_batch_t **out) MUST_CHECK;

/* Enqueue a batch's kernels. */
status_t affine_batch_run(affine_batch_t *b, const cuda_work_t *work);

/* Takes NULL; no batch may be in flight. */
void affine_batch_destroy(affine_batch_t *b);

#endif
