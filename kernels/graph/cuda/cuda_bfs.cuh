/*
 * cuda_bfs.cuh - ordered breadth-first search, which pushes or pulls.
 */
#pragma once

#include "kernels/graph/cuda/cuda_frontier.cuh"

/* Passed to kernels by value. */
struct bfs_t {
    int *depth, *parent;       /* [n_nodes] */
    unsigned long long *found; /* [n_nodes] scratch */
};

/* @param in  arcs reversed */
status_t bfs_run(const cuda_graph_t &g, const cuda_graph_t &in, const cuda_loop_t &loop,
                 const frontier_t &f, const adapt_t &adapt, const bfs_t &s, int source,
                 int n_cores) MUST_CHECK;
