/*
 * cnn_channel_sums.cuh - two sums per channel over images and pixels, in a fixed order.
 *
 * Blocks add up parts; a warp per channel adds the parts as doubles and hands the sums to
 * a functor.  What is added is a functor of an element's index and channel.
 */
#ifndef RIBOGRID_KERNELS_CNN_CUDA_CNN_CHANNEL_SUMS_CUH
#define RIBOGRID_KERNELS_CNN_CUDA_CNN_CHANNEL_SUMS_CUH

#include "kernels/cnn/cuda/cnn_vector.cuh"

typedef struct {
    unsigned n, c, hw;
    bool channels_last;
} cnn_sums_shape_t;

constexpr int CNN_SUMS_BLOCKS = 1024; /* enough to fill a device */
constexpr int CNN_SUMS_COLUMNS = 32;  /* channels of a block in NHWC */
constexpr int CNN_SUMS_ROWS = 8;

/* @return parts that the elements of a channel are divided into */
static inline unsigned cnn_sums_parts(const cnn_sums_shape_t &s)
{
    const unsigned per_part = s.channels_last ? CNN_SUMS_ROWS * 8 : CNN_BLOCK * 4;
    const unsigned columns =
        s.channels_last ? (s.c + CNN_SUMS_COLUMNS - 1) / CNN_SUMS_COLUMNS : s.c;
    const uint64_t rows = uint64_t(s.n) * s.hw;
    const unsigned useful = unsigned((rows + per_part - 1) / per_part);
    const unsigned wanted = (CNN_SUMS_BLOCKS + columns - 1) / columns;

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
template <typename F>
__global__ void cnn_sums_planes_kernel(F f, cnn_sums_shape_t s, float2 *parts)
{
    __shared__ float2 warps[CNN_BLOCK / 32];
    const unsigned channel = blockIdx.x, rows = s.n * s.hw;
    const unsigned per_part = (rows + gridDim.y - 1) / gridDim.y;
    const unsigned end = min(rows, (blockIdx.y + 1) * per_part);
    const unsigned first = blockIdx.y * per_part + threadIdx.x;
    const unsigned step_image = CNN_BLOCK / s.hw, step_pixel = CNN_BLOCK % s.hw;
    unsigned image = first / s.hw, pixel = first % s.hw;
    float2 sum = make_float2(0, 0);

    for (unsigned i = first; i < end; i += CNN_BLOCK) {
        const float2 x = f((image * s.c + channel) * s.hw + pixel, channel);

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

/* NHWC: block (32 channels, part); a part is a range of pixels. */
template <typename F>
__global__ void cnn_sums_columns_kernel(F f, cnn_sums_shape_t s, float2 *parts)
{
    __shared__ float2 shared[CNN_SUMS_ROWS][CNN_SUMS_COLUMNS];
    const unsigned channel = blockIdx.x * CNN_SUMS_COLUMNS + threadIdx.x;
    const unsigned rows = s.n * s.hw;
    const unsigned per_part = (rows + gridDim.y - 1) / gridDim.y;
    const unsigned end = min(rows, (blockIdx.y + 1) * per_part);
    float2 sum = make_float2(0, 0);

    if (channel < s.c) {
#pragma unroll 4
        for (unsigned r = blockIdx.y * per_part + threadIdx.y; r < end;
             r += CNN_SUMS_ROWS) {
            const float2 x = f(r * s.c + channel, channel);

            sum.x += x.x;
            sum.y += x.y;
        }
    }
    shared[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && channel < s.c) {
        for (int k = 1; k < CNN_SUMS_ROWS; k++) {
            sum.x += shared[k][threadIdx.x].x;
            sum.y += shared[k][threadIdx.x].y;
        }
        parts[channel * gridDim.y + blockIdx.y] = sum;
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

/* @param parts  [c * cnn_sums_parts] scratch memory */
template <typename F, typename G>
status_t cnn_channel_sums(F f, G done, const cnn_sums_shape_t &s, void *parts,
                          cudaStream_t stream)
{
    const unsigned n_parts = cnn_sums_parts(s);
    float2 *p = static_cast<float2 *>(parts);

    if (s.channels_last)
        cnn_sums_columns_kernel<<<
            dim3((s.c + CNN_SUMS_COLUMNS - 1) / CNN_SUMS_COLUMNS, n_parts),
            dim3(CNN_SUMS_COLUMNS, CNN_SUMS_ROWS), 0, stream>>>(f, s, p);
    else
        cnn_sums_planes_kernel<<<dim3(s.c, n_parts), CNN_BLOCK, 0, stream>>>(f, s, p);
    cnn_sums_finish_kernel<<<(s.c * 32 + CNN_BLOCK - 1) / CNN_BLOCK, CNN_BLOCK, 0,
                             stream>>>(done, s.c, n_parts, p);
    return CUDA_TRY(cudaGetLastError());
}

#endif
