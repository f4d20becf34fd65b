/*
 * cuda_pagerank.cuh - what passes over all nodes and over working sets share.
 *
 * The sum over all nodes is computed in two steps: blocks add up aligned tiles of nodes,
 * which are subtrees of tree_sum.h; after a barrier every block adds up the tiles for
 * itself.
 */
#pragma once

#include "kernels/graph/cuda/cuda_backend.cuh"

extern "C" {
#include "kernels/graph/common/pagerank_restart.h"
}

enum { PAGERANK_TILE = 1024 }; /* nodes */

/* How far the passes over working sets have come; at first all 0. */
struct pagerank_progress_t {
    unsigned n_set_passes, n_passes;
    unsigned is_over; /* the ranks are those of the result */
};

/* Passed to kernels by value. */
struct pagerank_t {
    const uint32_t *out_first;           /* [n_nodes + 1] of the arcs out of a node */
    double *rank, *change, *dangling;    /* [n_nodes] */
    double *share[2];                    /* [n_nodes] */
    double *tile_change, *tile_dangling; /* [n_nodes / PAGERANK_TILE + 1] */
    double damping, base, tolerance;     /* base: without dangling nodes */
    bool spreads;                        /* the ranks of dangling nodes */
    bool has_ranks;                      /* to begin with */
    int max_iterations;
    int *n_iterations;
    pagerank_progress_t *progress;
};

/* Add up tiles of nodes. @param value_of  of a node */
template <class VALUE>
__device__ void pagerank_add_tiles(VALUE value_of, int n_nodes, double *tiles,
                                   loop_shared_t *shared)
{
    for (int64_t tile = blockIdx.x; tile * PAGERANK_TILE < n_nodes; tile += gridDim.x) {
        const double sum =
            row_sum_block(value_of, static_cast<uint32_t>(tile * PAGERANK_TILE),
                          static_cast<uint32_t>(min((tile + 1) * PAGERANK_TILE,
                                                    static_cast<int64_t>(n_nodes))),
                          shared->sums);

        if (threadIdx.x == 0)
            tiles[tile] = sum;
    }
}

/* @return the sum of the tiles, in all threads */
__device__ inline double pagerank_total(const double *tiles, int n_nodes,
                                        loop_shared_t *shared)
{
    return row_sum_block([&](uint32_t k) { return grid_read(&tiles[k]); }, 0,
                         static_cast<uint32_t>((n_nodes + PAGERANK_TILE - 1) /
                                               PAGERANK_TILE),
                         shared->sums);
}

/* @param dangling  the sum of the ranks of nodes without arcs
 * @return what each node gets apart from its arcs */
__device__ inline double pagerank_base(const pagerank_t &s, double dangling, int n_nodes)
{
    return s.spreads ? __dadd_rn(s.base, __ddiv_rn(__dmul_rn(s.damping, dangling),
                                                   static_cast<double>(n_nodes)))
                     : s.base;
}

/* @return what a node gives to each of its arcs */
__device__ inline double pagerank_share(const pagerank_t &s, int u, double rank)
{
    const uint32_t degree = s.out_first[u + 1] - s.out_first[u];

    return degree > 0 ? __ddiv_rn(rank, static_cast<double>(degree)) : 0;
}

/* Passes over working sets, before those over all nodes (cuda_pagerank_sets.cu). */
struct pagerank_sets_t {
    double *shared; /* [n_nodes] the ranks that the shares are made of */
    uint32_t *set;  /* bits of nodes */
    unsigned long long *n_out, *n_in; /* [2] used in turn; 0 at first */
    unsigned long long *visited;
    pagerank_limits_t limits;
    bool gives_up; /* if a set has too many arcs */
};

status_t pagerank_sets_launch(const cuda_state_t *state, const cuda_plan_t &plan,
                              const pagerank_t &task,
                              const pagerank_sets_t &sets) MUST_CHECK;
