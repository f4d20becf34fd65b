/*
 * cuda_put.cuh - what kernels of any stream may read once the call returns.
 *
 * cudaMemcpy from pageable memory returns when all of it has been staged, and cudaMemset
 * at once; what is still under way then is waited for by the default stream, and by none
 * of those that do not block.
 */
#ifndef RIBOGRID_KERNELS_DEVICE_CUDA_PUT_CUH
#define RIBOGRID_KERNELS_DEVICE_CUDA_PUT_CUH

#include "kernels/device/cuda_try.cuh"

/* Wait until what was copied or set is there, if all went well so far. */
static inline status_t cuda_put_done(status_t st)
{
    return st == ST_OK ? CUDA_TRY(cudaStreamSynchronize(cudaStreamLegacy)) : st;
}

/* Fill device memory from the host's. */
static inline status_t cuda_put(void *to, const void *from, size_t bytes)
{
    return cuda_put_done(CUDA_TRY(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)));
}

/* Allocate n and fill them. @param out  NULL where it fails */
template <typename T> status_t cuda_put_new(T **out, const T *from, size_t n)
{
    const status_t st = CUDA_TRY(cudaMalloc(out, n * sizeof(T) + 1));

    return st == ST_OK ? cuda_put(*out, from, n * sizeof(T)) : st;
}

/* Allocate n zeros. */
template <typename T> status_t cuda_put_zeros(T **out, size_t n)
{
    const status_t st = CUDA_TRY(cudaMalloc(out, n * sizeof(T)));

    return st == ST_OK ? cuda_put_done(CUDA_TRY(cudaMemset(*out, 0, n * sizeof(T)))) : st;
}

#endif
