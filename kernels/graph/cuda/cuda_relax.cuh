/*
 * cuda_relax.cuh - shortest paths, and unordered breadth-first search.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_RELAX_CUH
#define RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_RELAX_CUH

#include "kernels/graph/cuda/cuda_frontier.cuh"

/* D: uint32_t, or unsigned long long where distances need it; all bits set: no path. */
template <typename D> struct relax_t {
    D *distance;       /* [n_nodes] */
    uint32_t *far;     /* [n_words] bits */
    const int *copies; /* [n_nodes] how many nodes of the same distance follow a node; or
                          nullptr */
    D delta;           /* 0: no far set */
    bool is_racy;      /* not with copies */
};

/* Compute distances from a source and the n_copies nodes that follow it. */
template <typename D>
status_t relax_run(const cuda_graph_t &g, const cuda_loop_t &loop, const frontier_t &f,
                   const adapt_t &adapt, const relax_t<D> &s, int source, int n_copies,
                   int n_cores) MUST_CHECK;

/* @param first_copy  [n] where the value of a node is; @param to  [n] */
template <typename D>
status_t relax_unsplit(const D *from, const int *first_copy, int n, D *to) MUST_CHECK;

/* Find the parents of a breadth-first search. @param in  arcs reversed */
status_t relax_parents(const cuda_graph_t &in, const uint32_t *depth, int source,
                       int n_cores, int *parent) MUST_CHECK;

#endif
