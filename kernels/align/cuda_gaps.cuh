/*
 * cuda_gaps.cuh - how long a device has no kernel of ours to run while batches come.
 *
 * Two events a batch, around its kernels; batches are numbered from 0, and may overlap.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_GAPS_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_GAPS_CUH

#include "kernels/cuda_try.cuh"

enum { CUDA_GAPS_RING = 4 /* batches whose events are kept: those under way, and one */ };

/* Zeroed at first. */
struct cuda_gaps_t {
    cudaEvent_t begun[CUDA_GAPS_RING], ended[CUDA_GAPS_RING];
    double span_ms, gap_ms; /* from the first kernel to the last; without one of them */
};

status_t cuda_gaps_create(cuda_gaps_t *g);

/* Note that a batch's kernels begin, or have ended, at this point of a stream. */
status_t cuda_gaps_begin(cuda_gaps_t *g, int batch, cudaStream_t stream);
status_t cuda_gaps_end(cuda_gaps_t *g, int batch, cudaStream_t stream);

/* Add a batch that has run, and those before it, too. */
status_t cuda_gaps_add(cuda_gaps_t *g, int batch);

/* Say (-v) what was found. */
void cuda_gaps_tell(const cuda_gaps_t *g);

void cuda_gaps_free(cuda_gaps_t *g);

#endif
