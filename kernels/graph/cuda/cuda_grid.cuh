/*
 * cuda_grid.cuh - launches of graph kernels, and what their threads do together.
 *
 * A graph kernel runs from the first iteration to the last one on a grid whose blocks are
 * all resident, and its iterations are separated by barriers of the whole grid: the host
 * decides nothing in between.
 */
#pragma once

#include "kernels/sync/sync_grid.cuh"
#include "kernels/sync/sync_launch.cuh"

#include <cstdint>

enum { GRID_THREADS = 256, GRID_WARPS = GRID_THREADS / 32, GRID_BLOCKS_PER_CORE = 4 };

constexpr unsigned ALL_LANES = 0xffffffffu;

/* All blocks have GRID_THREADS threads and fit on the device at the same time. */
#define GRID_KERNEL __global__ void __launch_bounds__(GRID_THREADS, GRID_BLOCKS_PER_CORE)

/*
 * Launch a kernel on a grid that may have barriers.
 *
 * @param n_cores       of the device
 * @param max_per_core  blocks per core; 0: as many as fit
 */
template <typename... P, typename... A>
status_t grid_launch_few(void (*kernel)(P...), int n_cores, int max_per_core,
                         A... arguments)
{
    sync_shape_t shape = {0, GRID_THREADS, 1};
    const status_t st = sync_resident(kernel, shape, n_cores, &shape.n_blocks);

    if (st != ST_OK)
        return st;
    if (max_per_core > 0 && shape.n_blocks > n_cores * max_per_core)
        shape.n_blocks = n_cores * max_per_core;
    return sync_launch(kernel, shape, n_cores, nullptr, arguments...);
}

template <typename... P, typename... A>
status_t grid_launch(void (*kernel)(P...), int n_cores, A... arguments)
{
    return grid_launch_few(kernel, n_cores, 0, arguments...);
}

/* Launch a kernel without barriers. */
template <typename... P, typename... A>
status_t grid_launch_each(void (*kernel)(P...), int blocks, A... arguments)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(GRID_THREADS);
    return CUDA_TRY(cudaLaunchKernelEx(&config, kernel, arguments...));
}

__device__ inline void grid_sync()
{
    sync_round_t round = {}; /* of other barriers */

    sync_grid<SYNC_COOPERATIVE>({}, &round);
}

__device__ inline int grid_lane()
{
    return static_cast<int>(threadIdx.x) % 32;
}

/* @return the number of this thread, or of this warp, in the grid */
__device__ inline int64_t grid_thread()
{
    return static_cast<int64_t>(blockIdx.x) * GRID_THREADS + threadIdx.x;
}

__device__ inline int64_t grid_n_threads()
{
    return static_cast<int64_t>(gridDim.x) * GRID_THREADS;
}

__device__ inline int64_t grid_warp()
{
    return grid_thread() / 32;
}

__device__ inline int64_t grid_n_warps()
{
    return grid_n_threads() / 32;
}

__device__ inline bool grid_is_first()
{
    return blockIdx.x == 0 && threadIdx.x == 0;
}

/* Read what other blocks may have written since the kernel began. */
template <typename T> __device__ inline T grid_read(const T *at)
{
    return __ldcg(at);
}

/* Write what other blocks may read before the kernel ends. */
template <typename T> __device__ inline void grid_write(T *at, T x)
{
    __stcg(at, x);
}

/* Reserve one element of a list per calling thread. @return its place */
__device__ inline unsigned grid_append(unsigned *tail)
{
#ifdef __CUDA_ARCH__
    const unsigned calling = __activemask();
    const int leader = __ffs(static_cast<int>(calling)) - 1;
    unsigned first = 0;

    if (grid_lane() == leader)
        first = atomicAdd(tail, static_cast<unsigned>(__popc(calling)));
    return __shfl_sync(calling, first, leader) +
           static_cast<unsigned>(__popc(calling & ((1u << grid_lane()) - 1)));
#else
    return atomicAdd(tail, 1u);
#endif
}

/* Add up over a warp; all lanes take part. @return the sum, in every lane */
template <typename T> __device__ inline T warp_add(T x)
{
    for (int k = 1; k < 32; k *= 2)
        x += __shfl_xor_sync(ALL_LANES, x, k);
    return x;
}

__device__ inline unsigned warp_add(unsigned x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, x);
#else
    return warp_add<unsigned>(x);
#endif
}

/* Add the sum of a warp's values to a counter; all lanes take part. */
__device__ inline void warp_add_to(unsigned long long *counter, unsigned long long x)
{
    x = warp_add(x);
    if (grid_lane() == 0 && x != 0)
        atomicAdd(counter, x);
}

/* A set of nodes as one bit each. */
__device__ inline bool bit_of(const uint32_t *bits, int u)
{
    return (bits[u >> 5] >> (u & 31) & 1) != 0;
}

__device__ inline uint32_t bit_mask(int u)
{
    return 1u << (u & 31);
}
