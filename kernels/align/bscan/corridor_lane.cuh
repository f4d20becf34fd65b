/*
 * corridor_lane.cuh - the pairs of a warp that finds corridors, one per thread: their
 * bases, and where they keep columns of F (corridor_sweep.cuh).
 */
#pragma once

#include "kernels/align/bscan/bscan_column.cuh"
#include "kernels/align/bscan/corridor.cuh"
#include "kernels/align/cuda/cuda_grouping.cuh"

#include <climits>

namespace
{

enum { WARP = 32, LETTERS = 16, QUAD = 4, SPAN = CORRIDOR_SPAN };

static_assert(SPAN == WARP, "borders hold what a span needs");

/* B and K: the costs of an edit, and of a base skipped at an end. */
struct corridor_costs_t {
    unsigned edit, skip;
};

struct corridor_launch_t {
    cuda_set_t set;
    const pair_t *pairs;
    corridor_out_t out;
    cuda_grouping_queue_t queue;
    /* [blocks][n_samples][KEPT<W>][WARP] columns of F: in every SPAN-th column, and then
     * in the last one of each lane */
    unsigned *samples;
    int n_samples;
    corridor_costs_t costs;
    unsigned none; /* 0; the compiler must not know that */
};

/* Words that are kept of a column: where F grows and falls from row to row, and where it
 * did in the last row, in the columns since the sample before. */
template <int W> constexpr int KEPT = 2 * W + 2;

/* The pair of a thread. */
struct lane_t {
    int index, m, n;
    int pads;                  /* q */
    const unsigned char *rows; /* the query, the same in all lanes */
    const unsigned char *target;
    unsigned *samples; /* one per WARP words */
    bool counts;       /* false: a copy of another pair, which fills the warp */
};

/* @return skip(k) */
CUDA_BOTH inline int skip_cost(const corridor_costs_t &c, int k)
{
    return static_cast<int>(static_cast<unsigned>(k) * c.skip / c.edit);
}

/* @return whether skip(k) > skip(k - 1) */
CUDA_BOTH inline bool rises(const corridor_costs_t &c, int k)
{
    return static_cast<unsigned>(k) * c.skip % c.edit < c.skip;
}

/* @return the sample of a column that is a multiple of SPAN */
template <int W> CUDA_BOTH inline unsigned *sample_at(const lane_t &l, int column)
{
    return l.samples + static_cast<long long>(column / SPAN) * KEPT<W> * WARP;
}

/* @return the sample of the last column */
template <int W> CUDA_BOTH inline unsigned *last_sample(const lane_t &l, int n_samples)
{
    return l.samples + static_cast<long long>(n_samples - 1) * KEPT<W> * WARP;
}

} // namespace
