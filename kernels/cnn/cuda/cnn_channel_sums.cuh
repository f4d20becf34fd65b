/*
 * cnn_channel_sums.cuh - two sums per channel over images and pixels, in a fixed order.
 *
 * Blocks add up parts; a warp per channel adds the parts as doubles and hands the sums to
 * a functor.  What is added is a functor: channel(c) loads what the channel c needs,
 * operator()(channel, a, b) gives two numbers of an element of both tensors.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_vector.cuh"

typedef struct {
    unsigned n, c, hw;
    bool channels_last;
} cnn_sums_shape_t;

constexpr unsigned CNN_SUMS_BLOCKS = 1024;    /* enough to fill a device */
constexpr unsigned CNN_SUMS_PER_THREAD = 8;   /* pixels or elements, at least */
constexpr unsigned CNN_SUMS_MAX_COLUMNS = 32; /* vectors of channels of a block in NHWC */

/* Vectors of channels that a block adds in NHWC: a power of two.
 * @param width  channels of a vector */
static inline unsigned cnn_sums_columns(const cnn_sums_shape_t &s, unsigned width)
{
    unsigned columns = 1;

    while (columns < CNN_SUMS_MAX_COLUMNS && columns * width < s.c)
        columns *= 2;
    return columns;
}

/* @return parts that the elements of a channel are divided into */
static inline unsigned cnn_sums_parts(const cnn_sums_shape_t &s, unsigned width)
{
    const unsigned columns = cnn_sums_columns(s, width);
    const unsigned rows = s.channels_last ? CNN_BLOCK / columns : CNN_BLOCK;
    const unsigned per_part = rows * CNN_SUMS_PER_THREAD;
    const unsigned blocks =
        s.channels_last ? (s.c + columns * width - 1) / (columns * width) : s.c;
    const uint64_t n = uint64_t(s.n) * s.hw;
    const unsigned useful = unsigned((n + per_part - 1) / per_part);
    const unsigned wanted = (CNN_SUMS_BLOCKS + blocks - 1) / blocks;

    return useful < wanted ? useful : wanted;
}

__device__ inline float2 cnn_warp_sum(float2 sum)
{
    for (int k = 16; k > 0; k /= 2) {
        sum.x += __shfl_xor_sync(~0u, sum.x, k);
        sum.y += __shfl_xor_sync(~0u, sum.y, k);
    }
    return sum;
}

/* NCHW: block (channel, part); a part is a range of the channel's n * hw elements. */
template <typename T, typename F>
__global__ void cnn_sums_planes_kernel(const T *a, const T *b, F f, cnn_sums_shape_t s,
                                       float2 *parts)
{
    __shared__ float2 warps[CNN_BLOCK / 32];
    const unsigned channel = blockIdx.x, rows = s.n * s.hw;
    const unsigned per_part = (rows + gridDim.y - 1) / gridDim.y;
    const unsigned end = min(rows, (blockIdx.y + 1) * per_part);
    const unsigned first = blockIdx.y * per_part + threadIdx.x;
    const unsigned step_image = CNN_BLOCK / s.hw, step_pixel = CNN_BLOCK % s.hw;
    const typename F::channel_t own = f.channel(channel);
    unsigned image = first / s.hw, pixel = first % s.hw;
    float2 sum = make_float2(0, 0);

    for (unsigned i = first; i < end; i += CNN_BLOCK) {
        const unsigned at = (image * s.c + channel) * s.hw + pixel;
        const float2 x = f(own, cnn_load(&a[at]), cnn_load(&b[at]));

        sum.x += x.x;
        sum.y += x.y;
        image += step_image;
        pixel += step_pixel;
        if (pixel >= s.hw) {
            pixel -= s.hw;
            image++;
        }
    }
    sum = cnn_warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < CNN_BLOCK / 32; k++) {
            sum.x += warps[k].x;
            sum.y += warps[k].y;
        }
        parts[channel * gridDim.y + blockIdx.y] = sum;
    }
}

/* NHWC: block (blockDim.x vectors of W channels, part); a part is a range of pixels. */
template <typename T, int W, typename F>
__global__ void cnn_sums_columns_kernel(const cnn_vector_t<T, W> *a,
                                        const cnn_vector_t<T, W> *b, F f,
                                        cnn_sums_shape_t s, float2 *parts)
{
    __shared__ float2 shared[CNN_BLOCK * W];
    const unsigned vectors = s.c / W, vector = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned rows = s.n * s.hw;
    const unsigned per_part = (rows + gridDim.y - 1) / gridDim.y;
    const unsigned end = min(rows, (blockIdx.y + 1) * per_part);
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    typename F::channel_t own[W];
    float2 sum[W] = {};

    if (vector < vectors) {
        for (int k = 0; k < W; k++)
            own[k] = f.channel(vector * W + unsigned(k));
#pragma unroll 4
        for (unsigned r = blockIdx.y * per_part + threadIdx.y; r < end; r += blockDim.y) {
            const cnn_vector_t<T, W> va = a[r * vectors + vector];
            const cnn_vector_t<T, W> vb = b[r * vectors + vector];

            for (int k = 0; k < W; k++) {
                const float2 x = f(own[k], cnn_load(&va.v[k]), cnn_load(&vb.v[k]));

                sum[k].x += x.x;
                sum[k].y += x.y;
            }
        }
    }
    for (int k = 0; k < W; k++)
        shared[thread * W + k] = sum[k];
    __syncthreads();
    for (unsigned k = thread; k < blockDim.x * W; k += CNN_BLOCK) {
        const unsigned channel = blockIdx.x * blockDim.x * W + k;
        float2 all = shared[k];

        for (unsigned y = 1; y < blockDim.y; y++) {
            all.x += shared[y * blockDim.x * W + k].x;
            all.y += shared[y * blockDim.x * W + k].y;
        }
        if (channel < s.c)
            parts[channel * gridDim.y + blockIdx.y] = all;
    }
}

/* A warp per channel: done(channel, sum.x, sum.y) */
template <typename G>
__global__ void cnn_sums_finish_kernel(G done, unsigned c, unsigned n_parts,
                                       const float2 *parts)
{
    const unsigned channel = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    double x = 0, y = 0;

    if (channel >= c)
        return;
    for (unsigned k = threadIdx.x % 32; k < n_parts; k += 32) {
        x += double(parts[channel * n_parts + k].x);
        y += double(parts[channel * n_parts + k].y);
    }
    for (int k = 16; k > 0; k /= 2) {
        x += __shfl_xor_sync(~0u, x, k);
        y += __shfl_xor_sync(~0u, y, k);
    }
    if (threadIdx.x % 32 == 0)
        done(channel, x, y);
}

template <typename T, int W, typename F>
void cnn_sum_columns(const T *a, const T *b, F f, const cnn_sums_shape_t &s,
                     unsigned n_parts, float2 *parts, cudaStream_t stream)
{
    typedef cnn_vector_t<T, W> vector_t;
    const unsigned columns = cnn_sums_columns(s, W);
    const dim3 grid((s.c / W + columns - 1) / columns, n_parts);

    cnn_sums_columns_kernel<T, W, F>
        <<<grid, dim3(columns, CNN_BLOCK / columns), 0, stream>>>(
            reinterpret_cast<const vector_t *>(a), reinterpret_cast<const vector_t *>(b),
            f, s, parts);
}

/* @param parts  [c * cnn_sums_parts] scratch memory */
template <typename T, typename F, typename G>
status_t cnn_channel_sums(const T *a, const T *b, F f, G done, const cnn_sums_shape_t &s,
                          void *parts, cudaStream_t stream)
{
    const bool wide = s.channels_last && s.c % CNN_WIDTH<T> == 0;
    const unsigned n_parts = cnn_sums_parts(s, wide ? CNN_WIDTH<T> : 1);
    float2 *p = static_cast<float2 *>(parts);

    if (wide)
        cnn_sum_columns<T, CNN_WIDTH<T>>(a, b, f, s, n_parts, p, stream);
    else if (s.channels_last)
        cnn_sum_columns<T, 1>(a, b, f, s, n_parts, p, stream);
    else
        cnn_sums_planes_kernel<T, F>
            <<<dim3(s.c, n_parts), CNN_BLOCK, 0, stream>>>(a, b, f, s, p);
    cnn_sums_finish_kernel<<<(s.c * 32 + CNN_BLOCK - 1) / CNN_BLOCK, CNN_BLOCK, 0,
                             stream>>>(done, s.c, n_parts, p);
    return CUDA_TRY(cudaGetLastError());
}
