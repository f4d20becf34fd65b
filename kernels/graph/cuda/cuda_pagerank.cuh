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

/* Add up tiles of nodes. @param value_of  of a node @param sums  [2 * GRID_WARPS] */
template <class VALUE>
__device__ void pagerank_add_tiles(VALUE value_of, int n_nodes, double *tiles,
                                   double *sums)
{
    for (int64_t tile = blockIdx.x; tile * PAGERANK_TILE < n_nodes; tile += gridDim.x) {
        const double sum =
            row_sum_block(value_of, static_cast<uint32_t>(tile * PAGERANK_TILE),
                          static_cast<uint32_t>(min((tile + 1) * PAGERANK_TILE,
                                                    static_cast<int64_t>(n_nodes))),
                          sums);

        if (threadIdx.x == 0)
            tiles[tile] = sum;
    }
}

/* @return the sum of the tiles, in all threads */
__device__ inline double pagerank_total(const double *tiles, int n_nodes, double *sums)
{
    return row_sum_block([&](uint32_t k) { return grid_read(&tiles[k]); }, 0,
                         static_cast<uint32_t>((n_nodes + PAGERANK_TILE - 1) /
                                               PAGERANK_TILE),
                         sums);
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

/* An iteration as an operation of the loops over rows. */
struct rank_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    pagerank_t s;
    const double *share;
    double *next_share;
    double base;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row_begin(g, u, row);
        return true;
    }

    __device__ double term(uint32_t a) const
    {
        return share[g.to[a]];
    }

    /* Divide a rank among the arcs of a node. */
    __device__ void divide(int u, double rank) const
    {
        s.rank[u] = rank;
        s.dangling[u] = s.out_first[u + 1] > s.out_first[u] ? 0 : rank;
        next_share[u] = pagerank_share(s, u, rank);
    }

    /* The first ranks, by all threads of the grid. */
    __device__ void divide_all() const
    {
        for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads())
            divide(static_cast<int>(u),
                   s.has_ranks ? s.rank[u]
                               : __ddiv_rn(1, static_cast<double>(g.n_nodes)));
    }

    __device__ void finish(int u, double sum) const
    {
        const double rank = __dadd_rn(base, __dmul_rn(s.damping, sum));

        s.change[u] = fabs(__dadd_rn(rank, -s.rank[u]));
        divide(u, rank);
    }
};

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

/* What is kept between tasks. */
struct pagerank_state_t : cuda_state_t {
    cuda_plan_t plan;         /* of the arcs reversed */
    double *reals[8];         /* [n_nodes] */
    const double *first_rank; /* [n_nodes] or nullptr */
    pagerank_t task;
    pagerank_sets_t sets;
};

/* The functions of a cuda_algorithm_t, whose state begins with a pagerank_state_t. */
status_t pagerank_create(cuda_state_t *state) MUST_CHECK;
status_t pagerank_fetch(cuda_state_t *state, const graph_task_t *task,
                        graph_result_t *out) MUST_CHECK;

/* Begin a task: with earlier ranks, and passes over working sets. */
status_t pagerank_begin(pagerank_state_t *s) MUST_CHECK;
