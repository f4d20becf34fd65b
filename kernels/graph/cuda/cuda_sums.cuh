/*
 * cuda_sums.cuh - sums over rows: sparse matrix times vector, and PageRank.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_SUMS_CUH
#define RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_SUMS_CUH

#include "kernels/graph/cuda/cuda_loop.cuh"

/* y = A x */
status_t sums_spmv(const cuda_graph_t &g, const cuda_loop_t &loop,
                   const cuda_plan_t &plan, const double *x, int n_cores,
                   double *y) MUST_CHECK;

/* Passed to kernels by value. */
struct pagerank_t {
    const uint32_t *out_first;           /* [n_nodes + 1] of the arcs out of a node */
    double *rank, *change, *dangling;    /* [n_nodes] */
    double *share[2];                    /* [n_nodes] */
    double *tile_change, *tile_dangling; /* [n_nodes / SUMS_TILE + 1] */
    double damping, base, tolerance;     /* base: without dangling nodes */
    bool spreads;                        /* the ranks of dangling nodes */
    int max_iterations;
    int *n_iterations;
};

enum { SUMS_TILE = 1024 }; /* nodes */

/* @param in  arcs reversed, with their plan */
status_t sums_pagerank(const cuda_graph_t &in, const cuda_loop_t &loop,
                       const cuda_plan_t &plan, const pagerank_t &s,
                       int n_cores) MUST_CHECK;

#endif
