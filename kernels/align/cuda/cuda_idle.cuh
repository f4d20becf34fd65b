/*
 * cuda_idle.cuh - measures how long a device has none of our kernels to run while batches
 * follow each other (-v).
 *
 * Two events per batch, around its kernels.  Batches are numbered from 0 and may overlap.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_IDLE_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_IDLE_CUH

#include "kernels/device/cuda_try.cuh"

enum {
    CUDA_IDLE_RING = 4 /* batches whose events are kept: those in flight, one more */
};

/* Zero-initialise it before create. */
struct cuda_idle_t {
    cudaEvent_t begun[CUDA_IDLE_RING], ended[CUDA_IDLE_RING];
    double span_ms, idle_ms; /* from the first kernel to the last; of that without any */
};

status_t cuda_idle_create(cuda_idle_t *t);

/* Record that a batch's kernels begin, or end, at this point of a stream. */
status_t cuda_idle_begin(cuda_idle_t *t, int batch, cudaStream_t stream);
status_t cuda_idle_end(cuda_idle_t *t, int batch, cudaStream_t stream);

/* Add the time of a batch.  It and the batch before it must have run. */
status_t cuda_idle_add(cuda_idle_t *t, int batch);

/* Log the total at -v. */
void cuda_idle_report(const cuda_idle_t *t);

/* Takes what a failed create has left, too. */
void cuda_idle_free(cuda_idle_t *t);

#endif
