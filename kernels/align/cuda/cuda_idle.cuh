/*
 * cuda_idle.cuh - how long a device has no kernel of ours to run while batches come.
 *
 * Two events a batch, around its kernels; batches are numbered from 0, and may overlap.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_IDLE_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_IDLE_CUH

#include "kernels/device/cuda_try.cuh"

enum { CUDA_IDLE_RING = 4 /* batches whose events are kept: those under way, and one */ };

/* Zeroed at first. */
struct cuda_idle_t {
    cudaEvent_t begun[CUDA_IDLE_RING], ended[CUDA_IDLE_RING];
    double span_ms, gap_ms; /* from the first kernel to the last; without one of them */
};

status_t cuda_idle_create(cuda_idle_t *g);

/* Note that a batch's kernels begin, or have ended, at this point of a stream. */
status_t cuda_idle_begin(cuda_idle_t *g, int batch, cudaStream_t stream);
status_t cuda_idle_end(cuda_idle_t *g, int batch, cudaStream_t stream);

/* Add a batch that has run, and those before it, too. */
status_t cuda_idle_add(cuda_idle_t *g, int batch);

/* Say (-v) what was found. */
void cuda_idle_report(const cuda_idle_t *g);

void cuda_idle_free(cuda_idle_t *g);

#endif
