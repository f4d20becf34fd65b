/*
 * sync_grid.cuh - barriers of all blocks of a kernel, which have to be resident at the
 * same time.
 *
 *  - LOCK:     the blocks count themselves with one atomic operation each, and spin until
 *              all have come.
 *  - ACQUIRE:  the same with release and acquire in place of fences.
 *  - LOCK_FREE: each block raises a flag of its own; one block waits for all of them, a
 *              thread per flag, and raises a second flag for each.
 *  - CLUSTER_FIRST: the blocks of a cluster wait for each other; one of them then counts
 *              for all.
 *  - CLUSTER:  the hardware's barrier; the grid is one cluster.
 *  - COOPERATIVE: that of cooperative groups.
 *
 * What a thread has written before the barrier, all threads may read behind it, but not
 * from the first-level cache: with __ldcg, or from shared memory of the cluster.
 *
 * Counters only grow, and may wrap: what is compared is their difference.
 */
#pragma once

#include "kernels/sync/sync_cluster.cuh"
#include "kernels/sync/sync_flag.cuh"

/* without libcu++: a third of the time to compile */
#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cooperative_groups.h>

extern "C" {
#include "kernels/sync/sync_kind.h"
}

/* Global memory of a barrier, zero before the kernel begins. */
struct sync_grid_t {
    unsigned *count; /* [1] */
    int *in, *out;   /* [blocks] of LOCK_FREE */
};

/* What a thread remembers from one barrier to the next; zero at first. */
struct sync_round_t {
    unsigned goal;
};

/* Count one of n, and wait until all of them have been counted; called by one thread. */
__device__ inline void sync_count(unsigned *count, unsigned n, sync_round_t *round)
{
    unsigned seen;

    round->goal += n;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(seen)
                     : "l"(count)
                     : "memory");
    while (static_cast<int>(seen - round->goal) < 0);
}

/* The same with fences. */
__device__ inline void sync_count_fenced(unsigned *count, unsigned n, sync_round_t *round)
{
    round->goal += n;
    __threadfence();
    atomicAdd(count, 1u);
    while (static_cast<int>(*static_cast<volatile unsigned *>(count) - round->goal) < 0)
        ;
    __threadfence();
}

/* One block waits for the flags of all, and raises those that they wait for. */
__device__ inline void sync_flags(const sync_grid_t &grid, sync_round_t *round)
{
    const unsigned first = threadIdx.x, n = gridDim.x;
    const int goal = static_cast<int>(++round->goal);

    __syncthreads();
    if (first == 0)
        sync_flag_raise(&grid.in[blockIdx.x], goal);
    if (blockIdx.x == 0) {
        for (unsigned b = first; b < n; b += blockDim.x)
            while (sync_flag_read(&grid.in[b]) - goal < 0)
                ;
        __syncthreads();
        for (unsigned b = first; b < n; b += blockDim.x)
            sync_flag_raise(&grid.out[b], goal);
    }
    if (first == 0)
        while (sync_flag_read(&grid.out[blockIdx.x]) - goal < 0)
            ;
    __syncthreads();
}

/* Wait until all threads of the grid have come; all of them call it. */
template <sync_kind_t KIND>
__device__ inline void sync_grid(const sync_grid_t &grid, sync_round_t *round)
{
    if constexpr (KIND == SYNC_COOPERATIVE) {
        cooperative_groups::this_grid().sync();
    } else if constexpr (KIND == SYNC_CLUSTER) {
        sync_cluster();
    } else if constexpr (KIND == SYNC_CLUSTER_FIRST) {
        sync_cluster();
        if (threadIdx.x == 0 && sync_cluster_rank() == 0)
            sync_count(grid.count, gridDim.x / sync_cluster_size(), round);
        sync_cluster();
    } else if constexpr (KIND == SYNC_LOCK_FREE) {
        sync_flags(grid, round);
    } else {
        __syncthreads();
        if (threadIdx.x == 0) {
            if (KIND == SYNC_LOCK)
                sync_count_fenced(grid.count, gridDim.x, round);
            else
                sync_count(grid.count, gridDim.x, round);
        }
        __syncthreads();
    }
}
