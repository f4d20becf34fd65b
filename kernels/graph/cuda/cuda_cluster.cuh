/*
 * cuda_cluster.cuh - small levels of breadth-first search in one cluster of blocks, the
 * first of the grid: its barrier takes a fifth of the time of the grid's.
 *
 * No thread waits for an atomic operation.  Who reads that a node was not found so far,
 * or by a larger parent, offers itself by an operation that returns nothing, and appends
 * the node with itself as the parent.  So a node may be appended several times, but by
 * each parent once; in the next level the parent tells which one counts: the least, whose
 * offer remained, and which has appended it, since it read no smaller one.
 *
 * Warp w of block b appends to the block b + w, where it has a segment of its own, so
 * that it needs no counter; that divides the level among the blocks.  Nodes for which
 * there is no room go to global memory.  Meanwhile the other blocks of the grid wait for
 * a flag; behind it the cluster has put its last level where the grid expects it.
 */
#pragma once

#include "kernels/graph/cuda/cuda_bfs.cuh"
#include "kernels/sync/sync_cluster.cuh"
#include "kernels/sync/sync_flag.cuh"

enum {
    CLUSTER_SEGMENT = 256, /* nodes */
    CLUSTER_WARPS = CLUSTER_BLOCKS * GRID_WARPS,
    CLUSTER_ENTER = 2048, /* nodes of a level that a cluster takes */
    CLUSTER_LANES = 2,    /* of a node ... */
    CLUSTER_AHEAD = 2,    /* ... and arcs that each of them visits at the same time */
    CLUSTER_NODES = 32 / CLUSTER_LANES /* of a warp */
};
static_assert(CLUSTER_ENTER <= CLUSTER_BLOCKS * CLUSTER_SEGMENT,
              "the first level needs no other room");
static_assert(CLUSTER_WARPS == 32 * 4, "lanes read four counts each");

/* Shared memory of a block.  Level t has queue and counts t % 2, and spills t % 3. */
struct cuda_cluster_shared_t {
    int2 queue[2][GRID_WARPS][CLUSTER_SEGMENT]; /* nodes, and their parents */
    alignas(16) unsigned n[2][CLUSTER_WARPS]; /* what each warp of the cluster appended */
    unsigned n_spilled[3];                    /* of the first block: without room */
};

/* @return whether this block is in a cluster, the grid's first cluster */
__device__ inline bool cuda_cluster_has_block()
{
    return blockIdx.x < sync_cluster_size();
}

/* Of a block of a cluster. */
struct cuda_cluster_t {
    cuda_cluster_shared_t *shared;
    cuda_graph_t g;
    bfs_t s;
    unsigned rank;

    __device__ int2 *spill(int level) const
    {
        return s.spilled + (level % 2 != 0 ? bfs_n_spilled(g) : 0);
    }

    /* @return spilled nodes of a level */
    __device__ unsigned n_spilled(int level) const
    {
        return sync_cluster_get(&shared->n_spilled[level % 3], 0);
    }

    /* Take the block's nodes of a queue, as if warp 0 had appended them; all its threads
     * take part. */
    __device__ void begin(const int *queue, unsigned n, int level) const
    {
        const auto n_of = [n](unsigned block) {
            return n / CLUSTER_BLOCKS + (block < n % CLUSTER_BLOCKS);
        };

        for (unsigned i = threadIdx.x; i < n_of(rank); i += GRID_THREADS) {
            const int u = grid_read(&queue[i * CLUSTER_BLOCKS + rank]);

            shared->queue[level % 2][0][i] = {u, bfs_parent(grid_read(&s.found[u]))};
        }
        for (unsigned k = threadIdx.x; k < CLUSTER_WARPS; k += GRID_THREADS)
            shared->n[level % 2][k] = k % GRID_WARPS == 0 ? n_of(k / GRID_WARPS) : 0;
        if (threadIdx.x == 0)
            shared->n_spilled[level % 3] = shared->n_spilled[(level + 1) % 3] = 0;
        sync_cluster();
    }

    /* @return what warp w of another block appended to this one's queue */
    __device__ unsigned n_of_segment(int level, unsigned w) const
    {
        return min(shared->n[level % 2][(rank - w) % CLUSTER_BLOCKS * GRID_WARPS + w],
                   unsigned{CLUSTER_SEGMENT});
    }

    /* Append nodes with their parent u; all lanes of a warp take part.
     * @param v       nodes of this lane; -1: none
     * @param n_sent  of the warp in this level: changed */
    __device__ void append(int level, const int (&v)[CLUSTER_AHEAD], int u,
                           unsigned *n_sent) const
    {
        const unsigned warp = threadIdx.x / 32, before = (1u << grid_lane()) - 1;
        const unsigned to = (rank + warp) % CLUSTER_BLOCKS;

#pragma unroll
        for (int k = 0; k < CLUSTER_AHEAD; k++) {
            const unsigned has = __ballot_sync(ALL_LANES, v[k] >= 0);
            const unsigned at = *n_sent + __popc(has & before);

            *n_sent += __popc(has);
            if (v[k] < 0)
                continue;
            if (at < CLUSTER_SEGMENT)
                sync_cluster_put(&shared->queue[level % 2][warp][at], to, {v[k], u});
            else
                spill(
                    level)[sync_cluster_add(&shared->n_spilled[level % 3], 0, 1)] = {v[k],
                                                                                     u};
        }
    }

    /* End a level in which a warp appended n nodes; all threads of the cluster take part.
     */
    __device__ void end(int level, unsigned n) const
    {
        if (grid_lane() < CLUSTER_BLOCKS)
            sync_cluster_put(
                &shared->n[(level + 1) % 2][rank * GRID_WARPS + threadIdx.x / 32],
                static_cast<unsigned>(grid_lane()), n);
        if (threadIdx.x == 0)
            shared->n_spilled[(level + 2) % 3] = 0;
        sync_cluster();
    }
};

/*
 * Visit the arcs of some nodes; all threads of a block take part.
 *
 * @param n       nodes
 * @param node    gives node i < n with its parent
 * @param n_sent  as for append
 * @param op      counts nodes that were not appended by another parent, and their arcs
 */
template <typename NODE>
__device__ void cuda_cluster_visit(const cuda_cluster_t &c, int level, unsigned n,
                                   NODE node, unsigned *n_sent, bfs_visited_t *op)
{
    const unsigned lane = static_cast<unsigned>(grid_lane());

    for (unsigned base = threadIdx.x / 32 * CLUSTER_NODES; base < n;
         base += GRID_WARPS * CLUSTER_NODES) {
        const unsigned i = base + lane / CLUSTER_LANES;
        const int2 x = i < n ? node(i) : int2{0, 0};
        uint32_t first = 0, end = 0;
        found_t mine = NOT_FOUND;

        if (i < n) {
            first = c.g.first[x.x];
            end = c.g.first[x.x + 1];
            mine = grid_read(&c.s.found[x.x]);
        }
        bfs_keep(&mine); /* not compared before all three are on their way */
        const unsigned degree = mine == found_by(level, x.y) ? end - first : 0;

        op->nodes += mine == found_by(level, x.y) && lane % CLUSTER_LANES == 0;
        for (unsigned at = lane % CLUSTER_LANES; __any_sync(ALL_LANES, at < degree);
             at += CLUSTER_LANES * CLUSTER_AHEAD) {
            const found_t offer = found_by(level + 1, x.x);
            int v[CLUSTER_AHEAD];
            found_t old[CLUSTER_AHEAD];

#pragma unroll
            for (int k = 0; k < CLUSTER_AHEAD; k++) {
                const unsigned arc = at + k * CLUSTER_LANES;

                v[k] = arc < degree ? c.g.to[first + arc] : -1;
                op->arcs += arc < degree;
            }
#pragma unroll
            for (int k = 0; k < CLUSTER_AHEAD; k++)
                old[k] = v[k] >= 0 ? grid_read(&c.s.found[v[k]]) : 0;
#pragma unroll
            for (int k = 0; k < CLUSTER_AHEAD; k++)
                bfs_keep(&old[k]);
#pragma unroll
            for (int k = 0; k < CLUSTER_AHEAD; k++) {
                if (offer < old[k])
                    atomicMin(&c.s.found[v[k]], offer);
                else
                    v[k] = -1;
            }
            c.append(level + 1, v, x.x, n_sent);
        }
    }
}

/* Visit the block's nodes of a level. @return what this warp appended */
__device__ inline unsigned cuda_cluster_level(const cuda_cluster_t &c, int level,
                                              bool has_spilled, bfs_visited_t *op)
{
    unsigned begin[GRID_WARPS], n = 0, n_sent = 0;

#pragma unroll
    for (unsigned w = 0; w < GRID_WARPS; w++) {
        begin[w] = n;
        n += c.n_of_segment(level, w);
    }
    cuda_cluster_visit(
        c, level, n,
        [&](unsigned i) {
            unsigned segment = 0, start = 0;

#pragma unroll
            for (unsigned w = 1; w < GRID_WARPS; w++)
                if (i >= begin[w]) {
                    segment = w;
                    start = begin[w];
                }
            return c.shared->queue[level % 2][segment][i - start];
        },
        &n_sent, op);
    if (has_spilled) {
        const unsigned n_all = c.n_spilled(level);

        cuda_cluster_visit(
            c, level, n_all / CLUSTER_BLOCKS + (c.rank < n_all % CLUSTER_BLOCKS),
            [&](unsigned i) {
                return grid_read(&c.spill(level)[i * CLUSTER_BLOCKS + c.rank]);
            },
            &n_sent, op);
    }
    return n_sent;
}

/* Put the nodes of a level into a queue of the frontier; all threads of the cluster take
 * part. @param n  counts them: 0 at first */
__device__ inline void cuda_cluster_give_back(const cuda_cluster_t &c, int level,
                                              int *queue, unsigned *n)
{
    const auto give = [&](int2 x) {
        if (grid_read(&c.s.found[x.x]) == found_by(level, x.y))
            grid_write(&queue[grid_append(n)], x.x);
    };

    for (unsigned w = 0; w < GRID_WARPS; w++)
        for (unsigned i = threadIdx.x; i < c.n_of_segment(level, w); i += GRID_THREADS)
            give(c.shared->queue[level % 2][w][i]);
    for (unsigned i = c.rank * GRID_THREADS + threadIdx.x; i < c.n_spilled(level);
         i += CLUSTER_BLOCKS * GRID_THREADS)
        give(grid_read(&c.spill(level)[i]));
}

/*
 * Search levels by the cluster, from a level of n nodes in a queue of the frontier until
 * one is empty, or too large; that one goes back to the frontier.  All threads of the
 * cluster take part.
 *
 * @param level    the first one; its queue is number level % 2
 * @param n_ended  how often a cluster has ended then
 * @return arcs that this thread visited
 */
__device__ inline unsigned long long cuda_cluster_run(const cuda_cluster_t &c,
                                                      const frontier_t &f, int level,
                                                      unsigned n, int n_ended)
{
    bfs_visited_t visited = {0, 0};
    unsigned *n_given = reinterpret_cast<unsigned *>(f.cluster_counts);

    if (grid_is_first()) {
        grid_write(f.cluster_counts, 0ull);
        grid_write(f.cluster_passed, 0u);
    }
    c.begin(f.queue[level % 2], n, level);
    for (;; level++) {
        const uint4 four =
            reinterpret_cast<const uint4 *>(c.shared->n[level % 2])[grid_lane()];
        const unsigned most = max(max(four.x, four.y), max(four.z, four.w));

        n = warp_add(four.x + four.y + four.z + four.w);
        if (n == 0 || n > CLUSTER_LEAVE)
            break;
        c.end(level,
              cuda_cluster_level(c, level, __any_sync(ALL_LANES, most > CLUSTER_SEGMENT),
                                 &visited));
    }
    cuda_cluster_give_back(c, level, f.queue[level % 2], n_given);
    visited.nodes = warp_add(visited.nodes);
    if (grid_lane() == 0 && visited.nodes != 0)
        atomicAdd(f.cluster_passed, visited.nodes);
    if (grid_is_first())
        *f.cluster_iteration = level;
    sync_cluster();
    if (grid_is_first())
        sync_flag_raise(f.cluster_flag, n_ended);
    return visited.arcs;
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
