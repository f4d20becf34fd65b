/*
 * cnn_vector.cuh - elements of a tensor, 16 bytes at a time, as floats; launches.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

#include <cstdint>
#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16_t;

constexpr int CNN_BLOCK = 256; /* threads of a block where nothing else is said */

__device__ inline float cnn_load(const float *at)
{
    return *at;
}

__device__ inline float cnn_load(const bf16_t *at)
{
    return __bfloat162float(*at);
}

__device__ inline void cnn_store(float *at, float x)
{
    *at = x;
}

__device__ inline void cnn_store(bf16_t *at, float x)
{
    *at = __float2bfloat16_rn(x);
}

template <typename T> constexpr int CNN_WIDTH = 16 / sizeof(T);

template <typename T, int W = CNN_WIDTH<T>> struct alignas(W * sizeof(T)) cnn_vector_t {
    T v[W];
};

/* Blocks of a loop over n elements, which strides by the whole grid. */
static inline unsigned cnn_blocks(int64_t n, int per_block = CNN_BLOCK)
{
    const int64_t blocks = (n + per_block - 1) / per_block, limit = 132 * 32;

    return unsigned(blocks < 1 ? 1 : blocks < limit ? blocks : limit);
}

/* y[i] = f(a[i], b[i]) on n elements; a, b and y begin at multiples of 16 bytes and may
 * be one. */
template <typename T, typename F>
__global__ void cnn_map_kernel(const T *a, const T *b, T *y, int64_t n, F f)
{
    constexpr int W = CNN_WIDTH<T>;
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;

    for (int64_t i = thread; i < n / W; i += stride) {
        const cnn_vector_t<T> va = reinterpret_cast<const cnn_vector_t<T> *>(a)[i];
        const cnn_vector_t<T> vb = reinterpret_cast<const cnn_vector_t<T> *>(b)[i];
        cnn_vector_t<T> vy;

        for (int k = 0; k < W; k++)
            cnn_store(&vy.v[k], f(cnn_load(&va.v[k]), cnn_load(&vb.v[k])));
        reinterpret_cast<cnn_vector_t<T> *>(y)[i] = vy;
    }
    for (int64_t i = n / W * W + thread; i < n; i += stride)
        cnn_store(&y[i], f(cnn_load(&a[i]), cnn_load(&b[i])));
}

template <typename T, typename F>
status_t cnn_map(const void *a, const void *b, void *y, int64_t n, F f,
                 cudaStream_t stream)
{
    cnn_map_kernel<<<cnn_blocks(n / CNN_WIDTH<T>), CNN_BLOCK, 0, stream>>>(
        static_cast<const T *>(a), static_cast<const T *>(b), static_cast<T *>(y), n, f);
    return CUDA_TRY(cudaGetLastError());
}
