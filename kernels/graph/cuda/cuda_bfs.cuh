/*
 * cuda_bfs.cuh - ordered breadth-first search, which pushes or pulls.
 */
#pragma once

#include "kernels/graph/cuda/cuda_frontier.cuh"

/* A depth and a parent in one number: the smaller depth first, then the smaller parent.
 */
typedef unsigned long long found_t;
constexpr found_t NOT_FOUND = ~0ull;

__device__ inline found_t found_by(int depth, int parent)
{
    return static_cast<found_t>(depth) << 32 | static_cast<unsigned>(parent);
}

__device__ inline int bfs_parent(found_t found)
{
    return static_cast<int>(found & 0xffffffffu);
}

/* Nodes and arcs that a thread visited. */
struct bfs_visited_t {
    unsigned nodes;
    unsigned long long arcs;
};

/* Keep the compiler from looking at a value earlier than here. */
__device__ inline void bfs_keep(found_t *x)
{
    asm volatile("" : "+l"(*x));
}

/* Passed to kernels by value. */
struct bfs_t {
    int *depth, *parent; /* [n_nodes] */
    found_t *found;      /* [n_nodes] scratch */
    int2 *spilled;       /* [2][bfs_n_spilled], or nullptr: no cluster takes levels */
};

enum { CLUSTER_BLOCKS = 16, CLUSTER_LEAVE = 8192 /* of a level that goes to the grid */ };

/* @return what a cluster appends in a level, at most */
__host__ __device__ inline int64_t bfs_n_spilled(const cuda_graph_t &g)
{
    const int64_t by_nodes = int64_t{CLUSTER_LEAVE} * g.max_degree;

    return g.n_arcs < by_nodes ? g.n_arcs : by_nodes;
}

/* @param in  arcs reversed */
status_t bfs_run(const cuda_graph_t &g, const cuda_graph_t &in, const cuda_loop_t &loop,
                 const frontier_t &f, const adapt_t &adapt, const bfs_t &s, int source,
                 int n_cores) MUST_CHECK;
