/*
 * cuda_put.cuh - uploads that kernels of any stream may read once the call returns.
 *
 * cudaMemcpy from pageable memory returns as soon as the data has been staged, and
 * cudaMemset returns at once.  Only the default stream waits for the rest; streams
 * created with cudaStreamNonBlocking do not.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

/* Wait until earlier copies and fills are complete, unless st is an error. */
static inline status_t cuda_put_done(status_t st)
{
    return st == ST_OK ? CUDA_TRY(cudaStreamSynchronize(cudaStreamLegacy)) : st;
}

/* Copy host memory to the device. */
static inline status_t cuda_put(void *to, const void *from, size_t bytes)
{
    return cuda_put_done(CUDA_TRY(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)));
}

/* Allocate n elements and copy them to the device. @param out  NULL on failure */
template <typename T> status_t cuda_put_new(T **out, const T *from, size_t n)
{
    const status_t st = CUDA_TRY(cudaMalloc(out, n * sizeof(T) + 1));

    return st == ST_OK ? cuda_put(*out, from, n * sizeof(T)) : st;
}

/* Allocate n zeroed elements. */
template <typename T> status_t cuda_put_zeros(T **out, size_t n)
{
    const status_t st = CUDA_TRY(cudaMalloc(out, n * sizeof(T)));

    return st == ST_OK ? cuda_put_done(CUDA_TRY(cudaMemset(*out, 0, n * sizeof(T)))) : st;
}
