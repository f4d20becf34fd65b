/*
 * cuda_stage.cuh - pieces on their way to a device through pinned memory: the host fills
 * one while the one before is copied.
 */
#pragma once

#include "kernels/align/cuda/cuda_buffer.cuh"

enum { CUDA_STAGES = 2 };

/* Zero-initialise it before the first use; `stream` is the caller's. */
struct cuda_stage_t {
    cudaStream_t stream; /* of the copies */
    struct {
        cuda_pinned_t memory;
        cudaEvent_t copied;
    } pieces[CUDA_STAGES];
    int now;
};

/* Get memory for the next piece, once the copy that last used it is done. */
status_t cuda_stage_next(cuda_stage_t *s, size_t bytes, void **out);

/* Begin to copy the piece. */
status_t cuda_stage_copy(cuda_stage_t *s, void *to, size_t bytes);

/* Let another stream wait until the pieces so far are on the device. */
status_t cuda_stage_join(cuda_stage_t *s, cudaStream_t stream);

/* Takes a zeroed one, too; no copy is under way. */
void cuda_stage_free(cuda_stage_t *s);
