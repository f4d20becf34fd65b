/*
 * cuda_sides.cuh - streams beside a batch's own, so that the kernels of several classes
 * run side by side and one's end is filled by the others.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_SIDES_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_SIDES_CUH

#include "kernels/cuda_try.cuh"

enum { CUDA_SIDES = 3 };

/* A slot's; zeroed at first. */
struct cuda_sides_t {
    cudaStream_t sides[CUDA_SIDES];
    cudaEvent_t ready, done[CUDA_SIDES];
};

status_t cuda_sides_create(cuda_sides_t *s);

/* Takes what a failed create left, too. */
void cuda_sides_destroy(cuda_sides_t *s);

/* Let the sides wait for what the stream has been given; let it wait for theirs. */
status_t cuda_sides_fork(const cuda_sides_t *s, cudaStream_t stream);
status_t cuda_sides_join(const cuda_sides_t *s, cudaStream_t stream);

/* @return the stream of the turn-th kernel: the sides' by turns, and the batch's own */
inline cudaStream_t cuda_sides_at(const cuda_sides_t *s, int turn, cudaStream_t stream)
{
    const int side = turn % (CUDA_SIDES + 1);

    return side == CUDA_SIDES ? stream : s->sides[side];
}

#endif
