/*
 * cuda_cluster.cuh - small working sets in one cluster of blocks, the first of the grid:
 * its barrier takes a fifth of the time of the grid's.
 *
 * The set is divided among the blocks of the cluster: a node belongs to block u modulo
 * their number, which has it in a queue in its shared memory.  Who finds a node for the
 * next iteration appends it to the queue of its block.  Nodes for which there is no room
 * go to global memory.  Meanwhile the other blocks of the grid wait for a flag; behind it
 * the cluster has put its last set where the grid expects it.
 */
#pragma once

#include "kernels/graph/cuda/cuda_frontier.cuh"
#include "kernels/sync/sync_cluster.cuh"
#include "kernels/sync/sync_flag.cuh"

enum {
    CLUSTER_BLOCKS = 16,
    CLUSTER_QUEUE = 512,  /* nodes of a block */
    CLUSTER_ENTER = 2048, /* nodes of a set that a cluster takes ... */
    CLUSTER_LEAVE = 4096, /* ... and of one that it gives back */
    CLUSTER_LANES = 4     /* of a node */
};
static_assert(CLUSTER_ENTER <= CLUSTER_BLOCKS * CLUSTER_QUEUE,
              "the first set needs no other room");

/* Shared memory of a block.  Iteration t has queue t % 2 and count t % 3. */
struct cuda_cluster_shared_t {
    int queue[2][CLUSTER_QUEUE];
    unsigned n[3];
};

/* @return whether this block is in a cluster, the grid's first cluster */
__device__ inline bool cuda_cluster_has_block()
{
    return blockIdx.x < sync_cluster_size();
}

/* Of a block of a cluster. */
struct cuda_cluster_t {
    cuda_cluster_shared_t *shared;
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
        return i < CLUSTER_QUEUE ? shared->queue[iteration % 2][i]
                                 : grid_read(spill(iteration, i, rank));
    }

    /* Append a node for an iteration, once. */
    __device__ void append(int iteration, int u) const
    {
        const unsigned owner = static_cast<unsigned>(u) % size;
        const unsigned i = sync_cluster_add(&shared->n[iteration % 3], owner, 1);

        if (i < CLUSTER_QUEUE)
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

    /* End an iteration; all threads of the cluster take part. */
    __device__ void end(int iteration) const
    {
        if (threadIdx.x == 0)
            shared->n[(iteration + 2) % 3] = 0;
        sync_cluster();
    }

    /* Put the nodes of an iteration into a queue of the frontier, spilled[iteration % 2];
     * all threads of the cluster take part. @return their number */
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
 * Iterate by the cluster, from a set of n nodes in a queue of the frontier until one is
 * empty, or too large; that one goes back to the frontier.  All threads of the cluster
 * take part.
 *
 * @param turn     the first iteration; its queue is number turn % 2
 * @param n_ended  how often a cluster has ended then
 * @param visit    called for each node by CLUSTER_LANES lanes, as visit(u, lane, turn);
 * it appends nodes to iteration turn + 1
 */
template <typename VISIT>
__device__ void cuda_cluster_run(const cuda_cluster_t &cluster, const frontier_t &f,
                                 int turn, unsigned n, int n_ended, VISIT visit)
{
    const unsigned lane = threadIdx.x % CLUSTER_LANES;
    unsigned n_passed = 0;

    cluster.begin(f.queue[turn % 2], n, turn);
    for (;; turn++) {
        const unsigned n_own = cluster.shared->n[turn % 3],
                       n_lane = cluster.count_of_lane(turn);

        for (unsigned i = threadIdx.x / CLUSTER_LANES; i < n_own;
             i += GRID_THREADS / CLUSTER_LANES)
            visit(cluster.node(turn, i), lane, turn);
        n = warp_add(n_lane);
        n_passed += n;
        cluster.end(turn);
        if (n == 0 || n > CLUSTER_LEAVE)
            break;
    }
    turn += n > 0;
    n = cluster.give_back(turn);
    if (grid_is_first()) {
        *f.cluster_iteration = turn;
        *f.cluster_counts = n;
        *f.cluster_passed = n_passed;
    }
    sync_cluster();
    if (grid_is_first())
        sync_flag_raise(f.cluster_flag, n_ended);
}

/* Wait for the cluster; all threads of a block call it.
 * @param n_ended  how often a cluster has ended then. @return the next iteration */
__device__ inline int cuda_cluster_wait(const frontier_t &f, int n_ended)
{
    if (threadIdx.x == 0)
        sync_flag_wait(f.cluster_flag, n_ended);
    __syncthreads();
    return grid_read(f.cluster_iteration);
}

/*
 * Launch a kernel on a grid of clusters that may have barriers: with one block per core
 * or less, so that the first cluster is a cluster.
 *
 * If the device has no such clusters, every block is one.
 */
template <typename... P, typename... A>
status_t cuda_cluster_launch(void (*kernel)(P...), int n_cores, A... arguments)
{
    sync_shape_t shape = {CLUSTER_BLOCKS, GRID_THREADS, CLUSTER_BLOCKS};
    int resident = 0;
    const status_t st = sync_resident(kernel, shape, n_cores, &resident);

    if (st != ST_OK)
        return st;
    if (resident == 0 || n_cores < CLUSTER_BLOCKS)
        return grid_launch_few(kernel, n_cores, 1, arguments...);
    shape.n_blocks = n_cores / CLUSTER_BLOCKS * CLUSTER_BLOCKS;
    if (shape.n_blocks > resident)
        shape.n_blocks = resident;
    return sync_launch(kernel, shape, n_cores, nullptr, arguments...);
}
