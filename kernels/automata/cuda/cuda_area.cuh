/*
 * cuda_area.cuh - memory of the device that keeps what it holds when it grows.
 */
#pragma once

#include "kernels/device/cuda_put.cuh"

/* Zero-initialise it before the first use, and free `at` with cudaFree. */
struct area_t {
    void *at;
    size_t bytes;
};

/*
 * Make an area hold at least `bytes`; it doubles at least if it has to grow.
 *
 * @param used  bytes that are kept
 */
static inline status_t area_grow(area_t *a, size_t used, size_t bytes)
{
    area_t to = {nullptr, bytes > 2 * a->bytes ? bytes : 2 * a->bytes};
    status_t st;

    if (bytes <= a->bytes)
        return ST_OK;
    if ((st = CUDA_TRY(cudaMalloc(&to.at, to.bytes))) != ST_OK)
        return st;
    if (used > 0)
        st = CUDA_TRY(cudaMemcpy(to.at, a->at, used, cudaMemcpyDeviceToDevice));
    cudaFree(a->at);
    *a = to;
    return st;
}

/* Copy host memory to the begin of an area. */
static inline status_t area_put(area_t *a, const void *from, size_t bytes)
{
    const status_t st = area_grow(a, 0, bytes);

    return st == ST_OK ? cuda_put(a->at, from, bytes) : st;
}
