/*
 * cuda_side_streams.cuh - streams beside a batch's own, so that several kernels of one
 * batch run side by side.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

enum { CUDA_SIDE_STREAMS = 3 };

/* One per slot of batches.  Zero-initialise it before create. */
struct cuda_side_streams_t {
    cudaStream_t streams[CUDA_SIDE_STREAMS];
    cudaEvent_t forked, done[CUDA_SIDE_STREAMS];
};

status_t cuda_side_streams_create(cuda_side_streams_t *s);

/* Takes what a failed create has left, too. */
void cuda_side_streams_destroy(cuda_side_streams_t *s);

/* Make the side streams wait for everything enqueued on a stream so far. */
status_t cuda_side_streams_fork(const cuda_side_streams_t *s, cudaStream_t stream);

/* Make the stream wait for everything enqueued on the side streams so far. */
status_t cuda_side_streams_join(const cuda_side_streams_t *s, cudaStream_t stream);

/* @return the stream for the k-th kernel: round robin over the side streams and `stream`
 */
inline cudaStream_t cuda_side_streams_at(const cuda_side_streams_t *s, int k,
                                         cudaStream_t stream)
{
    const int side = k % (CUDA_SIDE_STREAMS + 1);

    return side == CUDA_SIDE_STREAMS ? stream : s->streams[side];
}
