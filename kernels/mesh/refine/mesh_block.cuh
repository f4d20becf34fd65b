/*
 * mesh_block.cuh - sums over the threads of a block, and over the blocks before it.
 */
#pragma once

#include "kernels/mesh/refine/mesh_round.cuh"

constexpr int MESH_WARP = 32, MESH_WARPS = MESH_THREADS / MESH_WARP;

/* Sum up numbers of the threads before one. @param total  out: of all */
template <int N> __device__ void mesh_block_scan(uint32_t (&x)[N], uint32_t (&total)[N])
{
    __shared__ uint32_t of_warp[N][MESH_WARPS];
    const int lane = static_cast<int>(threadIdx.x % MESH_WARP);
    const int warp = static_cast<int>(threadIdx.x / MESH_WARP);

#pragma unroll
    for (int i = 0; i < N; i++) {
        uint32_t sum = x[i];

        for (int back = 1; back < MESH_WARP; back *= 2) {
            const uint32_t before = __shfl_up_sync(0xffffffffu, sum, back);

            sum += lane >= back ? before : 0;
        }
        if (lane == MESH_WARP - 1)
            of_warp[i][warp] = sum;
        x[i] = sum - x[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++) {
        uint32_t before = 0;

        total[i] = 0;
        for (int w = 0; w < MESH_WARPS; w++) {
            before += w < warp ? of_warp[i][w] : 0;
            total[i] += of_warp[i][w];
        }
        x[i] += before;
    }
    __syncthreads();
}

/* Sum up numbers of all threads. */
template <int N> __device__ void mesh_block_sum(uint32_t (&x)[N])
{
    __shared__ uint32_t of_warp[N][MESH_WARPS];
    const int lane = static_cast<int>(threadIdx.x % MESH_WARP);
    const int warp = static_cast<int>(threadIdx.x / MESH_WARP);

#pragma unroll
    for (int i = 0; i < N; i++) {
        uint32_t sum = x[i];

        for (int back = MESH_WARP / 2; back > 0; back /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, back);
        if (lane == 0)
            of_warp[i][warp] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] = 0;
        for (int w = 0; w < MESH_WARPS; w++)
            x[i] += of_warp[i][w];
    }
    __syncthreads();
}

/* Put a block's numbers where other blocks find them; called by all threads, which have
 * the same ones. */
template <int N>
__device__ void mesh_put_partial(const mesh_round_t &r, int block, int first,
                                 const uint32_t (&x)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        if (static_cast<int>(threadIdx.x) == i)
            __stcg(&r.partial[block * MESH_NUMBERS + first + i], x[i]);
}

/* Sum up N numbers, from `first` on, of the blocks before one, and of all. */
template <int N>
__device__ void mesh_sum_partials(const mesh_round_t &r, int block, int n_blocks,
                                  int first, uint32_t (&before)[N], uint32_t (&total)[N])
{
    uint32_t x[2 * N] = {};

    for (int b = static_cast<int>(threadIdx.x); b < n_blocks; b += MESH_THREADS)
#pragma unroll
        for (int i = 0; i < N; i++) {
            const uint32_t n = __ldcg(&r.partial[b * MESH_NUMBERS + first + i]);

            x[i] += b < block ? n : 0;
            x[N + i] += n;
        }
    mesh_block_sum(x);
#pragma unroll
    for (int i = 0; i < N; i++) {
        before[i] = x[i];
        total[i] = x[N + i];
    }
}
