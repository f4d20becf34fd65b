/*
 * cuda_batch.cuh - what the CUDA rows share: sequences on the device, and batches that
 * travel while others are computed.
 *
 * A batch has a slot of the ring: a stream, and memory for its pairs and results on the
 * device and, pinned, on the host.  Slots know nothing of each other, so that one's
 * copies, and the end of its last kernel, overlap the other's kernels.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_BATCH_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_BATCH_CUH

#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/align/cuda/cuda_set.cuh"

enum { CUDA_SLOTS = ALIGNER_DEPTH };

/* A batch on the device. */
struct cuda_work_t {
    const pair_t *pairs; /* [n] */
    int64_t n;
    int *score, *matches, *columns; /* [n]; but for score NULL under EMIT_SCORE */
    cudaStream_t stream;
    int slot; /* 0 .. CUDA_SLOTS-1: scratch of one slot is free for this batch */
};

/* Enqueue a row's kernels for a batch. */
typedef status_t (*cuda_launch_t)(void *row, const cuda_work_t *work);

struct cuda_batch_t;

/* Put a set on a device. */
status_t cuda_batch_create(const align_context_t *context, cuda_batch_t **out);

/* @return the set on the device, valid until destroy */
const cuda_set_t *cuda_batch_set(const cuda_batch_t *b);

/* @return bytes that a slot's scratch may take */
int64_t cuda_batch_scratch_bytes(const cuda_batch_t *b);

/* Begin a batch in the next slot; as many as CUDA_SLOTS may be under way. */
status_t cuda_batch_submit(cuda_batch_t *b, const pair_batch_t *batch,
                           cuda_launch_t launch, void *row);

/* Wait for the oldest; the results are the slot's, until its next batch. */
status_t cuda_batch_wait(cuda_batch_t *b, pair_results_t *out);

/* @return the slot of the oldest batch, or of the one that was waited for last */
int cuda_batch_slot(const cuda_batch_t *b);

/* Takes NULL; waits for what is under way. */
void cuda_batch_destroy(cuda_batch_t *b);

#endif
