/*
 * cuda_side_streams.cuh - streams beside a batch's own, so that the kernels of several
 * classes run side by side and one's end is filled by the others.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_SIDE_STREAMS_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_SIDE_STREAMS_CUH

#include "kernels/device/cuda_try.cuh"

enum { CUDA_SIDE_STREAMS = 3 };

/* A slot's; zeroed at first. */
struct cuda_side_streams_t {
    cudaStream_t sides[CUDA_SIDE_STREAMS];
    cudaEvent_t ready, done[CUDA_SIDE_STREAMS];
};

status_t cuda_side_streams_create(cuda_side_streams_t *s);

/* Takes what a failed create left, too. */
void cuda_side_streams_destroy(cuda_side_streams_t *s);

/* Let the sides wait for what the stream has been given; let it wait for theirs. */
status_t cuda_side_streams_fork(const cuda_side_streams_t *s, cudaStream_t stream);
status_t cuda_side_streams_join(const cuda_side_streams_t *s, cudaStream_t stream);

/* @return the stream of the turn-th kernel: the sides' by turns, and the batch's own */
inline cudaStream_t cuda_side_streams_at(const cuda_side_streams_t *s, int turn,
                                         cudaStream_t stream)
{
    const int side = turn % (CUDA_SIDE_STREAMS + 1);

    return side == CUDA_SIDE_STREAMS ? stream : s->sides[side];
}

#endif
