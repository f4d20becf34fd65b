/*
 * cnn_channels.cuh - maps whose function depends on an element's channel.
 *
 * A functor has channel(c), which loads what the channel c needs, and
 * operator()(channel, a, b).  Where a vector's channels lie in one pixel (NHWC), a thread
 * keeps the same channels in its whole loop, and loads them once.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_divide.cuh"
#include "kernels/cnn/cuda/cnn_gpu.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

/* NHWC with c vectors in a pixel: the grid's threads are a multiple of c. */
template <typename T, typename F>
__global__ void cnn_pixels_kernel(const cnn_vector_t<T> *a, const cnn_vector_t<T> *b,
                                  cnn_vector_t<T> *y, unsigned n, unsigned c, F f)
{
    constexpr int W = CNN_WIDTH<T>;
    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned stride = gridDim.x * blockDim.x;
    typename F::channel_t channels[W];

    for (int k = 0; k < W; k++)
        channels[k] = f.channel(first % c * W + unsigned(k));
    for (unsigned i = first; i < n; i += stride) {
        const cnn_vector_t<T> va = a[i], vb = b[i];
        cnn_vector_t<T> vy;

        for (int k = 0; k < W; k++)
            cnn_store(&vy.v[k], f(channels[k], cnn_load(&va.v[k]), cnn_load(&vb.v[k])));
        y[i] = vy;
    }
}

/* Elements first .. of n: those behind the last are 0. */
template <typename T>
__device__ cnn_vector_t<T> cnn_load_vector(const T *at, unsigned first, unsigned n)
{
    constexpr unsigned W = CNN_WIDTH<T>;
    cnn_vector_t<T> v = {};

    if (first + W <= n)
        return *reinterpret_cast<const cnn_vector_t<T> *>(at + first);
#pragma unroll
    for (unsigned k = 0; k < W; k++)
        if (first + k < n)
            v.v[k] = at[first + k];
    return v;
}

/* Any layout: a channel has runs of `by_run` elements. */
template <typename T, typename F>
__global__ void cnn_runs_kernel(const T *a, const T *b, T *y, unsigned n,
                                cnn_divisor_t by_run, cnn_divisor_t by_c, F f)
{
    constexpr unsigned W = CNN_WIDTH<T>;

    for (unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * W; i < n;
         i += gridDim.x * blockDim.x * W) {
        const cnn_vector_t<T> va = cnn_load_vector(a, i, n),
                              vb = cnn_load_vector(b, i, n);
        const unsigned run = cnn_divide(i, by_run);
        unsigned left = (run + 1) * by_run.divisor - i;
        unsigned c = run - cnn_divide(run, by_c) * by_c.divisor;
        typename F::channel_t channel = f.channel(c);
        cnn_vector_t<T> vy;

#pragma unroll
        for (unsigned k = 0; k < W; k++) {
            cnn_store(&vy.v[k], f(channel, cnn_load(&va.v[k]), cnn_load(&vb.v[k])));
            if (--left == 0) {
                left = by_run.divisor;
                c = c + 1 == by_c.divisor ? 0 : c + 1;
                channel = f.channel(c);
            }
        }
        if (i + W <= n)
            *reinterpret_cast<cnn_vector_t<T> *>(y + i) = vy;
        else {
#pragma unroll
            for (unsigned k = 0; k < W; k++)
                if (i + k < n)
                    y[i + k] = vy.v[k];
        }
    }
}

/* y = f(channel, a, b) on tensors like t; a, b and y may be one. */
template <typename T, typename F>
status_t cnn_map_channels(const cnn_gpu_t *g, const cnn_tensor_t *t, const void *a,
                          const void *b, void *y, const F &f, cudaStream_t stream)
{
    typedef cnn_vector_t<T> vector_t;
    constexpr int W = CNN_WIDTH<T>;
    const unsigned n = unsigned(cnn_tensor_n(t)), c = unsigned(t->size[1]);
    const unsigned run = g->channels_last ? 1 : unsigned(t->size[2] * t->size[3]);
    const unsigned vectors = c / W;
    unsigned blocks = cnn_blocks(n / W);

    if (run == 1 && c % W == 0) {
        blocks = (blocks + vectors - 1) / vectors * vectors;
        cnn_pixels_kernel<T, F>
            <<<blocks, CNN_BLOCK, 0, stream>>>(static_cast<const vector_t *>(a),
                                               static_cast<const vector_t *>(b),
                                               static_cast<vector_t *>(y), n / W, vectors,
                                               f);
    } else {
        cnn_runs_kernel<T, F><<<blocks, CNN_BLOCK, 0, stream>>>(static_cast<const T *>(a),
                                                                static_cast<const T *>(b),
                                                                static_cast<T *>(y), n,
                                                                cnn_divisor(run),
                                                                cnn_divisor(c), f);
    }
    return CUDA_TRY(cudaGetLastError());
}
