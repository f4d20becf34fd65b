/*
 * cuda_frontier.cuh - working sets that are passed from one iteration to the next.
 *
 * Counters are used in turn: iteration t reads counter t % 3, adds to t + 1, and sets t +
 * 2 to 0, which the barrier before iteration t + 1 makes safe.
 */
#pragma once

#include "kernels/graph/cuda/cuda_adapt.cuh"
#include "kernels/graph/cuda/cuda_loop.cuh"

/* Sets to 0, but for the first queue and its counter; passed to kernels by value. */
struct frontier_t {
    uint32_t *bits[2];           /* [n_words] this iteration's and the next one's nodes */
    int *queue[2];               /* [n_nodes] */
    unsigned *n;                 /* [3] nodes */
    unsigned long long *n_both;  /* [3] bfs: nodes, and 2^32 times their arcs */
    unsigned *n_moved;           /* [3] nodes that change from bits to a queue */
    unsigned long long *minimum; /* [3] all bits set */
    unsigned long long *visited; /* arcs that were looked at */
    int *n_iterations;
    /* of a cluster (cuda_cluster.cuh): how often it has ended; the iteration and the
     * counts of the set that it gave back; the nodes of those before */
    int *cluster_flag, *cluster_iteration;
    unsigned long long *cluster_counts;
    unsigned *cluster_passed;
};

enum { FRONTIER_COUNTER_BYTES = 256 };

/* Allocate for a graph. @param counters  set to 0 before each kernel */
inline status_t frontier_create(cuda_memory_t *m, int n_nodes, char **counters,
                                frontier_t *out)
{
    const int64_t n_words = n_nodes / 32 + 1;
    status_t st = cuda_memory_new(m, FRONTIER_COUNTER_BYTES, counters);

    for (int k = 0; st == ST_OK && k < 2; k++)
        if ((st = cuda_memory_new(m, n_words, &out->bits[k])) == ST_OK)
            st = cuda_memory_new(m, n_nodes, &out->queue[k]);
    if (st != ST_OK)
        return st;
    out->n_both = reinterpret_cast<unsigned long long *>(*counters);
    out->minimum = out->n_both + 3;
    out->visited = out->minimum + 3;
    out->n = reinterpret_cast<unsigned *>(out->visited + 1);
    out->n_moved = out->n + 3;
    out->n_iterations = reinterpret_cast<int *>(out->n_moved + 3);
    out->cluster_flag = out->n_iterations + 1;
    out->cluster_iteration = out->n_iterations + 2;
    out->cluster_passed = out->n_moved + 6;
    out->cluster_counts = reinterpret_cast<unsigned long long *>(
        *counters + FRONTIER_COUNTER_BYTES - sizeof(unsigned long long));
    return ST_OK;
}

/* Append the nodes of a bitmap to a queue. @param clear  other bits to set to 0 with the
 * bitmap, or nullptr */
__device__ inline void frontier_queue_bits(uint32_t *bits, uint32_t *clear, int n_nodes,
                                           int *queue, unsigned *n)
{
    for (int64_t w = grid_thread(); w <= n_nodes / 32; w += grid_n_threads()) {
        for (uint32_t word = grid_read(&bits[w]); word != 0; word &= word - 1)
            queue[grid_append(n)] =
                static_cast<int>(w) * 32 + __ffs(static_cast<int>(word)) - 1;
        if (clear != nullptr)
            bits[w] = clear[w] = 0;
    }
}

/* Set the bits of the nodes in a queue. */
__device__ inline void frontier_set_bits(const int *queue, unsigned n, uint32_t *bits)
{
    for (int64_t i = grid_thread(); i < n; i += grid_n_threads()) {
        const int u = grid_read(&queue[i]);

        atomicOr(&bits[u >> 5], bit_mask(u));
    }
}

__device__ inline void frontier_clear(uint32_t *bits, int n_nodes)
{
    for (int64_t w = grid_thread(); w <= n_nodes / 32; w += grid_n_threads())
        bits[w] = 0;
}
