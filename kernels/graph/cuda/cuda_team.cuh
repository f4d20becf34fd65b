/*
 * cuda_team.cuh - small working sets in one cluster of blocks, the team: its barrier
 * takes a third of the time of the grid's.
 *
 * The set is divided among the blocks of the team: a node belongs to block u modulo their
 * number, which has it in a queue in its shared memory.  Who finds a node for the next
 * iteration appends it to the queue of its block.  Nodes for which there is no room go to
 * global memory.  Meanwhile the other blocks of the grid wait for a flag; behind it the
 * team has put its last set where the grid expects it.
 */
#pragma once

#include "kernels/graph/cuda/cuda_frontier.cuh"
#include "kernels/sync/sync_cluster.cuh"
#include "kernels/sync/sync_flag.cuh"

enum {
    TEAM_BLOCKS = 16,
    TEAM_QUEUE = 512,  /* nodes of a block */
    TEAM_ENTER = 2048, /* nodes of a set that a team takes ... */
    TEAM_LEAVE = 4096, /* ... and of one that it gives back */
    TEAM_LANES = 4     /* of a node */
};
static_assert(TEAM_ENTER <= TEAM_BLOCKS * TEAM_QUEUE,
              "the first set needs no other room");

/* Shared memory of a block.  Iteration t has queue t % 2 and count t % 3. */
struct team_shared_t {
    int queue[2][TEAM_QUEUE];
    unsigned n[3];
};

/* @return whether this block is in a team, the grid's first cluster */
__device__ inline bool team_has_block()
{
    return blockIdx.x < sync_cluster_size();
}

/* Of a block of a team. */
struct team_t {
    team_shared_t *shared;
    int *const *spilled; /* [2] queues of the frontier */
    unsigned rank, size;

    /* @return where node number i of a block goes that has no room
     * @param iteration  which is to take it */
    __device__ int *spill(int iteration, unsigned i, unsigned of_block) const
    {
        return spilled[(iteration + 1) % 2] + static_cast<size_t>(i) * size + of_block;
    }

    /* Take the block's nodes of a queue; all its threads take part. */
    __device__ void begin(const int *queue, unsigned n, int iteration) const
    {
        const unsigned n_own = n / size + (rank < n % size);

        for (unsigned i = threadIdx.x; i < n_own; i += GRID_THREADS)
            shared->queue[iteration % 2][i] = grid_read(&queue[i * size + rank]);
        if (threadIdx.x == 0) {
            shared->n[iteration % 3] = n_own;
            shared->n[(iteration + 1) % 3] = 0;
        }
        sync_cluster();
    }

    /* @return a node of the block's, i < n of the iteration */
    __device__ int node(int iteration, unsigned i) const
    {
        return i < TEAM_QUEUE ? shared->queue[iteration % 2][i]
                              : grid_read(spill(iteration, i, rank));
    }

    /* Append a node for an iteration, once. */
    __device__ void append(int iteration, int u) const
    {
        const unsigned owner = static_cast<unsigned>(u) % size;
        const unsigned i = sync_cluster_add(&shared->n[iteration % 3], owner, 1);

        if (i < TEAM_QUEUE)
            sync_cluster_put(&shared->queue[iteration % 2][i], owner, u);
        else
            grid_write(spill(iteration, i, owner), u);
    }

    /* @return nodes of block `lane` in an iteration; 0 if there is none */
    __device__ unsigned count_of_lane(int iteration) const
    {
        const unsigned lane = static_cast<unsigned>(grid_lane());

        return lane < size ? sync_cluster_get(&shared->n[iteration % 3], lane) : 0;
    }

    /* End an iteration; all threads of the team take part. */
    __device__ void end(int iteration) const
    {
        if (threadIdx.x == 0)
            shared->n[(iteration + 2) % 3] = 0;
        sync_cluster();
    }

    /* Put the nodes of an iteration into a queue of the frontier, spilled[iteration % 2];
     * all threads of the team take part. @return their number */
    __device__ unsigned give_back(int iteration) const
    {
        const unsigned n = count_of_lane(iteration);
        const bool is_before = static_cast<unsigned>(grid_lane()) < rank;
        const unsigned first = warp_add(is_before ? n : 0u);
        const unsigned n_own = __shfl_sync(ALL_LANES, n, static_cast<int>(rank));

        for (unsigned i = threadIdx.x; i < n_own; i += GRID_THREADS)
            grid_write(&spilled[iteration % 2][first + i], node(iteration, i));
        return warp_add(n);
    }
};

/*
 * Iterate by the team, from a set of n nodes in a queue of the frontier until one is
 * empty, or too large; that one goes back to the frontier.  All threads of the team take
 * part.
 *
 * @param turn     the first iteration; its queue is number turn % 2
 * @param n_ended  how often a team has ended then
 * @param visit    called for each node by TEAM_LANES lanes, as visit(u, lane, turn); it
 *                 appends nodes to iteration turn + 1
 */
template <typename VISIT>
__device__ void team_run(const team_t &team, const frontier_t &f, int turn, unsigned n,
                         int n_ended, VISIT visit)
{
    const unsigned lane = threadIdx.x % TEAM_LANES;
    unsigned n_passed = 0;

    team.begin(f.queue[turn % 2], n, turn);
    for (;; turn++) {
        const unsigned n_own = team.shared->n[turn % 3],
                       n_lane = team.count_of_lane(turn);

        for (unsigned i = threadIdx.x / TEAM_LANES; i < n_own;
             i += GRID_THREADS / TEAM_LANES)
            visit(team.node(turn, i), lane, turn);
        n = warp_add(n_lane);
        n_passed += n;
        team.end(turn);
        if (n == 0 || n > TEAM_LEAVE)
            break;
    }
    turn += n > 0;
    n = team.give_back(turn);
    if (grid_is_first()) {
        *f.team_iteration = turn;
        *f.team_counts = n;
        *f.team_passed = n_passed;
    }
    sync_cluster();
    if (grid_is_first())
        sync_flag_raise(f.team_flag, n_ended);
}

/* Wait for the team; all threads of a block call it.
 * @param n_ended  how often a team has ended then. @return the next iteration */
__device__ inline int team_wait(const frontier_t &f, int n_ended)
{
    if (threadIdx.x == 0)
        sync_flag_wait(f.team_flag, n_ended);
    __syncthreads();
    return grid_read(f.team_iteration);
}

/*
 * Launch a kernel on a grid of clusters that may have barriers: with one block per core
 * or less, so that the first cluster is a team.
 *
 * If the device has no such clusters, every block is one.
 */
template <typename... P, typename... A>
status_t team_launch(void (*kernel)(P...), int n_cores, A... arguments)
{
    const void *function = reinterpret_cast<const void *>(kernel);
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    int n_clusters = 0;

    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = TEAM_BLOCKS;
    attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
    config.gridDim = dim3(static_cast<unsigned>(n_cores / TEAM_BLOCKS * TEAM_BLOCKS));
    config.blockDim = dim3(GRID_THREADS);
    config.attrs = attributes;
    config.numAttrs = 2;
    if (n_cores < TEAM_BLOCKS ||
        cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed,
                             1) != cudaSuccess ||
        cudaOccupancyMaxActiveClusters(&n_clusters, kernel, &config) != cudaSuccess ||
        n_clusters == 0) {
        cudaGetLastError(); /* the device has none */
        return grid_launch_few(kernel, n_cores, 1, arguments...);
    }
    if (n_clusters < n_cores / TEAM_BLOCKS)
        config.gridDim = dim3(static_cast<unsigned>(n_clusters * TEAM_BLOCKS));
    return CUDA_TRY(cudaLaunchKernelEx(&config, kernel, arguments...));
}
