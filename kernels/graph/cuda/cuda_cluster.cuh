/*
 * cuda_cluster.cuh - small working sets in one cluster of blocks, the first of the grid:
 * its barrier takes a fifth of the time of the grid's.
 *
 * Each block of the cluster has nodes of the set in a queue in its shared memory, with
 * their rows, so that an iteration begins with the arcs.  A warp appends what it finds
 * for the next iteration to one queue, its own block's or a neighbor's, which divides the
 * set among the blocks.  Nodes for which there is no room go to global memory.  Meanwhile
 * the other blocks of the grid wait for a flag; behind it the cluster has put its last
 * set where the grid expects it.
 */
#pragma once

#include "kernels/graph/cuda/cuda_frontier.cuh"
#include "kernels/sync/sync_cluster.cuh"
#include "kernels/sync/sync_flag.cuh"

enum {
    CLUSTER_BLOCKS = 16,
    CLUSTER_QUEUE = 1024, /* nodes of a block */
    CLUSTER_ENTER = 2048, /* nodes of a set that a cluster takes ... */
    CLUSTER_LEAVE = 4096, /* ... and of one that it gives back */
    CLUSTER_LANES = 2,    /* of a node ... */
    CLUSTER_AHEAD = 2,    /* ... and arcs that each of them visits at the same time */
    CLUSTER_NODES = 32 / CLUSTER_LANES /* of a warp */
};
static_assert(CLUSTER_ENTER <= CLUSTER_BLOCKS * CLUSTER_QUEUE,
              "the first set needs no other room");

/* Shared memory of a block.  Iteration t has queue t % 2 and counts t % 3. */
struct cuda_cluster_shared_t {
    int4 queue[2][CLUSTER_QUEUE]; /* nodes: x; their rows: arcs y .. z - 1 */
    unsigned n[3];                /* nodes, those without room as well */
    unsigned n_spilled[3];        /* of the first block: all that found no room */
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
    cuda_graph_t g;
    unsigned rank, size; /* size: a power of 2 */

    __device__ int4 entry(int u) const
    {
        return {u, static_cast<int>(g.first[u]), static_cast<int>(g.first[u + 1]), 0};
    }

    /* @return where the nodes of an iteration are that found no room */
    __device__ int *spill(int iteration) const
    {
        return spilled[(iteration + 1) % 2];
    }

    /* Take the block's nodes of a queue; all its threads take part. */
    __device__ void begin(const int *queue, unsigned n, int iteration) const
    {
        const unsigned n_own = n / size + (rank < n % size);

        for (unsigned i = threadIdx.x; i < n_own; i += GRID_THREADS)
            shared->queue[iteration % 2][i] = entry(grid_read(&queue[i * size + rank]));
        if (threadIdx.x == 0) {
            shared->n[iteration % 3] = n_own;
            shared->n[(iteration + 1) % 3] = 0;
            shared->n_spilled[iteration % 3] = shared->n_spilled[(iteration + 1) % 3] = 0;
        }
        sync_cluster();
    }

    /* @return nodes of an iteration that found no room */
    __device__ unsigned n_spilled(int iteration) const
    {
        return sync_cluster_get(&shared->n_spilled[iteration % 3], 0);
    }

    /* Append nodes for an iteration, each once; all lanes of a warp take part.
     * @param v  nodes of this lane; -1: none */
    __device__ void append(int iteration, const int (&v)[CLUSTER_AHEAD]) const
    {
        const unsigned to = (rank + threadIdx.x / 32) & (size - 1);
        const unsigned before = (1u << grid_lane()) - 1;
        unsigned has[CLUSTER_AHEAD], n = 0, at = 0;
        int4 x[CLUSTER_AHEAD];

#pragma unroll
        for (int k = 0; k < CLUSTER_AHEAD; k++)
            n += __popc(has[k] = __ballot_sync(ALL_LANES, v[k] >= 0));
        if (n == 0)
            return;
#pragma unroll
        for (int k = 0; k < CLUSTER_AHEAD; k++) /* meanwhile a place is reserved */
            if (v[k] >= 0)
                x[k] = entry(v[k]);
        if (grid_lane() == 0)
            at = sync_cluster_add(&shared->n[iteration % 3], to, n);
        at = __shfl_sync(ALL_LANES, at, 0);
#pragma unroll
        for (int k = 0; k < CLUSTER_AHEAD; k++) {
            if (v[k] >= 0)
                put(iteration, to, at + __popc(has[k] & before), x[k]);
            at += __popc(has[k]);
        }
    }

    __device__ void put(int iteration, unsigned to, unsigned at, int4 x) const
    {
        if (at < CLUSTER_QUEUE)
            sync_cluster_put(&shared->queue[iteration % 2][at], to, x);
        else
            grid_write(
                &spill(
                    iteration)[sync_cluster_add(&shared->n_spilled[iteration % 3], 0, 1)],
                x.x);
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
            shared->n[(iteration + 2) % 3] = shared->n_spilled[(iteration + 2) % 3] = 0;
        sync_cluster();
    }

    /* Put the nodes of an iteration into a queue of the frontier, spilled[iteration % 2];
     * all threads of the cluster take part. @return their number */
    __device__ unsigned give_back(int iteration) const
    {
        int *queue = spilled[iteration % 2];
        const unsigned all = count_of_lane(iteration),
                       n = min(all, unsigned{CLUSTER_QUEUE});
        const bool is_before = static_cast<unsigned>(grid_lane()) < rank;
        const unsigned first = warp_add(is_before ? n : 0u), n_queued = warp_add(n);
        const unsigned n_own = __shfl_sync(ALL_LANES, n, static_cast<int>(rank));

        for (unsigned i = threadIdx.x; i < n_own; i += GRID_THREADS)
            grid_write(&queue[first + i], shared->queue[iteration % 2][i].x);
        for (unsigned i = rank * GRID_THREADS + threadIdx.x; i < n_spilled(iteration);
             i += size * GRID_THREADS)
            grid_write(&queue[n_queued + i], grid_read(&spill(iteration)[i]));
        return warp_add(all);
    }
};

/*
 * Visit the arcs of some nodes; all threads of a block take part.
 *
 * @param n      nodes
 * @param node   gives node i < n, with its row
 * @param offer  called for each arc as offer(u, v); v is to be in the next set if it
 *               returns ABSENT, and this is not 0
 * @return arcs of this lane
 */
template <unsigned long long ABSENT, typename NODE, typename OFFER>
__device__ unsigned cuda_cluster_visit(const cuda_cluster_t &cluster, int turn,
                                       unsigned n, NODE node, OFFER offer)
{
    const unsigned lane = static_cast<unsigned>(grid_lane());
    unsigned n_visited = 0;

    for (unsigned base = threadIdx.x / 32 * CLUSTER_NODES; base < n;
         base += GRID_WARPS * CLUSTER_NODES) {
        const unsigned i = base + lane / CLUSTER_LANES;
        const int4 u = i < n ? node(i) : int4{0, 0, 0, 0};
        const unsigned degree = static_cast<unsigned>(u.z) - static_cast<unsigned>(u.y);

        for (unsigned at = lane % CLUSTER_LANES; __any_sync(ALL_LANES, at < degree);
             at += CLUSTER_LANES * CLUSTER_AHEAD) {
            int v[CLUSTER_AHEAD];
            unsigned long long old[CLUSTER_AHEAD];

#pragma unroll
            for (int k = 0; k < CLUSTER_AHEAD; k++) {
                const unsigned arc = at + k * CLUSTER_LANES;

                v[k] = arc < degree ? cluster.g.to[static_cast<uint32_t>(u.y) + arc] : -1;
                n_visited += arc < degree;
            }
#pragma unroll
            for (int k = 0; k < CLUSTER_AHEAD; k++)
                old[k] = v[k] >= 0 ? offer(u.x, v[k]) : 0;
#pragma unroll
            for (int k = 0; k < CLUSTER_AHEAD; k++)
                asm volatile("" : "+l"(old[k])); /* no comparison before both offers */
#pragma unroll
            for (int k = 0; k < CLUSTER_AHEAD; k++)
                v[k] = old[k] == ABSENT ? v[k] : -1;
            cluster.append(turn + 1, v);
        }
    }
    return n_visited;
}

/*
 * Iterate by the cluster, from a set of n nodes in a queue of the frontier until one is
 * empty, or too large; that one goes back to the frontier.  All threads of the cluster
 * take part.
 *
 * @param turn     the first iteration; its queue is number turn % 2
 * @param n_ended  how often a cluster has ended then
 * @param offer    called as offer(turn, u, v) for the arcs of the set's nodes; v is to be
 *                 in the next set if it returns ABSENT, and this is not 0
 * @return arcs that this thread visited
 */
template <unsigned long long ABSENT, typename OFFER>
__device__ unsigned long long cuda_cluster_run(const cuda_cluster_t &cluster,
                                               const frontier_t &f, int turn, unsigned n,
                                               int n_ended, OFFER offer)
{
    unsigned n_passed = 0;
    unsigned long long n_visited = 0;

    cluster.begin(f.queue[turn % 2], n, turn);
    for (;; turn++) {
        const unsigned n_lane = cluster.count_of_lane(turn);
        const unsigned n_own = min(cluster.shared->n[turn % 3], unsigned{CLUSTER_QUEUE});
        const auto offer_now = [&](int u, int v) { return offer(turn, u, v); };

        n_visited += cuda_cluster_visit<ABSENT>(
            cluster, turn, n_own,
            [&](unsigned i) { return cluster.shared->queue[turn % 2][i]; }, offer_now);
        if (__any_sync(ALL_LANES, n_lane > CLUSTER_QUEUE)) {
            const unsigned n_all = cluster.n_spilled(turn);

            n_visited += cuda_cluster_visit<ABSENT>(
                cluster, turn,
                n_all / cluster.size + (cluster.rank < n_all % cluster.size),
                [&](unsigned i) {
                    return cluster.entry(
                        grid_read(&cluster.spill(turn)[i * cluster.size + cluster.rank]));
                },
                offer_now);
        }
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
    return n_visited;
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
