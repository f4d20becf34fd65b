/*
 * tiled_affine_batch.cuh - batches of tiled-dscan with affine gaps, priced ends, ends
 * that count for the query, or proteins (tiled_affine.cuh).
 */
#pragma once

#include "kernels/align/tiled/tiled_affine.cuh"

struct tiled_affine_batch_t;

/* @return whether alignments are those of this file */
bool tiled_affine_applies(const align_spec_t *spec);

/* @return whether pairs of m and n bases are taken
 * @param max_bytes  memory that a pair may take */
bool tiled_affine_fits(const align_spec_t *spec, int64_t m, int64_t n, int64_t max_bytes);

/* Prepare.  Everything in the context is borrowed, and so is the batch.
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t tiled_affine_create(const align_context_t *context, cuda_batch_t *batch,
                             tiled_affine_batch_t **out) MUST_CHECK;

/* Enqueue a batch's kernels. */
status_t tiled_affine_submit(tiled_affine_batch_t *b, const cuda_work_t *work);

/* Takes NULL; no batch may be in flight. */
void tiled_affine_destroy(tiled_affine_batch_t *b);
