/*
 * cuda_relax.cuh - shortest paths, and unordered breadth-first search.
 */
#pragma once

#include "kernels/graph/cuda/cuda_frontier.cuh"

/* D: uint32_t, or unsigned long long where distances need it; all bits set: no path. */
template <typename D> struct relax_t {
    D *distance;   /* [n_nodes] */
    uint32_t *far; /* [n_words] bits of the nodes of the loop */
    cuda_split_t split;
    D delta;      /* 0: no far set */
    bool is_racy; /* not with copies */
};

/* Compute distances from a source.
 *
 * @param g      the nodes of the loop: all, copies, or virtual nodes
 * @param first  the first of the n nodes that the source is there
 */
template <typename D>
status_t relax_run(const cuda_graph_t &g, const cuda_loop_t &loop, const frontier_t &f,
                   const adapt_t &adapt, const relax_t<D> &s, int first, int n,
                   int n_cores) MUST_CHECK;

/* Copy the distances of first copies. @param to  [n] */
template <typename D>
status_t relax_unsplit(const D *from, const int *first_part, int n, D *to) MUST_CHECK;

/* Find the parents of a breadth-first search. @param in  arcs reversed */
status_t relax_parents(const cuda_graph_t &in, const uint32_t *depth, int source,
                       int n_cores, int *parent) MUST_CHECK;
