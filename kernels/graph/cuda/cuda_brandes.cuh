/*
 * cuda_brandes.cuh - shortest paths from many sources at once, and what depends on them.
 */
#pragma once

#include "kernels/graph/cuda/cuda_graph.cuh"

/* Passed to kernels by value. */
struct brandes_t {
    cuda_graph_t g, in;  /* in: arcs reversed */
    int lanes;           /* that share a row; a power of 2 */
    uint32_t warp_from;  /* longer rows are taken by a warp ... */
    uint32_t block_from; /* ... and rows longer than this by a block */
    bool is_small;       /* a source's search fits into shared memory */
    size_t search_bytes;
    char *searches;     /* [n_teams * search_bytes] unless is_small */
    unsigned *arrived;  /* [n_teams] */
    int n_teams;        /* maximum */
    int n_blocks;       /* all resident */
    int *sources;       /* [n_beside] */
    double *dependency; /* [n_beside][n_nodes] */
    int n_beside;       /* sources per launch, at most */
    int *refused; /* the first source with too many paths, by its place in the task */
    double *centrality; /* [n_nodes] */
};

/* @return the bytes of a search, and of what a block has in shared memory besides */
size_t brandes_bytes(bool is_small, int n_nodes);
size_t brandes_shared_bytes();

/*
 * Add the dependencies of some sources to the centrality, in their order.
 *
 * @param sources    those of a task, on the host
 * @param n_sources  at most n_beside, from sources[first] on
 */
status_t brandes_run(const brandes_t &b, const int *sources, int n_sources,
                     int64_t first) MUST_CHECK;
