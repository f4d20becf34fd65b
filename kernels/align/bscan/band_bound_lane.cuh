/*
 * band_bound_lane.cuh - the pairs of a warp that bounds scores, one per thread: their
 * bases and borders (band_bound_sweep.cuh).
 */
#pragma once

#include "kernels/align/bscan/band_bound.cuh"
#include "kernels/align/bscan/bscan_column.cuh"
#include "kernels/align/cuda/cuda_grouping.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

#include <climits>

namespace
{

enum { WARP = 32, LETTERS = 16, QUAD = 4, SPAN = BAND_BOUND_SPAN };
enum { STRIDE = 8, WORDS_MAX = 64 };

static_assert(SPAN == WARP, "borders hold what a span needs");

struct band_bound_launch_t {
    cuda_set_t set;
    const pair_t *pairs;
    int *guarded;
    cuda_grouping_queue_t queue;
    /* [blocks][n_samples][WARP] F on the upper diagonal, and on the lower one << 16 */
    unsigned *samples;
    int n_samples;
    int w;
    unsigned skip_cost, edit_cost;        /* K and B */
    unsigned none;                        /* 0; the compiler must not know that */
    int stride_skips[WORDS_MAX / STRIDE]; /* skip(0), skip(STRIDE), ... */
};

/* The pair of a thread. */
struct lane_t {
    int index, m, n, low, high;
    int n_outside;             /* L */
    int pads;                  /* q */
    const unsigned char *rows; /* the query, the same in all lanes */
    const unsigned char *target;
    unsigned *samples; /* one per WARP words */
    bool counts;       /* false: a copy of another pair, which fills the warp */
};

/* The letters of a target, four at a time, forwards or backwards. */
struct letters_t {
    const unsigned *at;
    int step;       /* words: 1 or -1 */
    int left;       /* letters */
    unsigned next;  /* the word at `at` */
    unsigned order; /* which bytes of two words are the next four letters */
};

template <int W>
__device__ lane_t lane_of(const band_bound_launch_t &p, cuda_pair_group_t group)
{
    const int lane = threadIdx.x;
    lane_t l;

    l.counts = lane < group.count;
    l.index = p.queue.order[group.first + min(lane, group.count - 1)];
    const pair_t pair = p.pairs[l.index];

    l.m = p.set.len[pair.query];
    l.n = p.set.len[pair.target];
    l.low = p.w + max(l.m - l.n, 0);
    l.high = p.w + max(l.n - l.m, 0);
    l.n_outside = min(l.m, l.n) - p.w;
    l.pads = WARP * W - l.m;
    l.rows = p.set.letters + p.set.start[pair.query];
    l.target = p.set.letters + p.set.start[pair.target];
    l.samples =
        p.samples + static_cast<long long>(blockIdx.x) * p.n_samples * WARP + lane;
    return l;
}

/* @return skip(k) */
__device__ int skip(const band_bound_launch_t &p, int k)
{
    return static_cast<int>(static_cast<unsigned>(k) * p.skip_cost / p.edit_cost);
}

/* @return in bit l: whether skip rises at lane l's k */
__device__ unsigned rises(const band_bound_launch_t &p, int k)
{
    return __ballot_sync(ALL, static_cast<unsigned>(k) * p.skip_cost % p.edit_cost <
                                  p.skip_cost);
}

__device__ letters_t letters_of(const lane_t &l, bool back)
{
    const unsigned char *end = l.target + l.n; /* on a word boundary */
    const unsigned odd = back ? 0 : static_cast<unsigned>(-l.n) % QUAD;
    letters_t t;

    t.at = reinterpret_cast<const unsigned *>(back ? end - QUAD : l.target - odd);
    t.step = back ? -1 : 1;
    t.left = l.n + static_cast<int>(odd);
    t.order = back ? 0x0123 : 0x3210 + 0x1111 * odd;
    t.next = *t.at;
    return t;
}

/* @return the next four letters; outside the target 0 or letters of its neighbours */
__device__ unsigned quad_of(letters_t &t)
{
    const unsigned here = t.next;

    t.at += t.step;
    t.left -= QUAD;
    t.next = t.left > 0 ? *t.at : 0;
    return __byte_perm(here, t.next, t.order);
}

} // namespace
