/*
 * edit_filter_sweep.cuh - a warp finds out which of 32 pairs have an end with few edits.
 *
 * The query's letters are the rows, in stripes (bscan_column.cuh), a thread has a pair of
 * them with a target, and F(i, j) is that of edit_filter_bound.h: an edit distance with a
 * top border of 0, and a left one of 0 or, where the query's ends count, of i.
 *
 * Rows are padded in front to fill W words, and columns so that all targets end in the
 * last one.  Pads of rows match everything: their F is the top border's, 0.  Pads of
 * columns keep the left border as it is: where that is 0 they match everything, else
 * nothing, and all of the query's letters before a cell are edits.
 *
 * So the last row is the topmost bit of the last word, and what F does there comes out of
 * every column; what it does in the last column is left in the words.  F changes by one
 * at most from cell to cell, so that most stretches of cells need no second look.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_SWEEP_CUH
#define RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_SWEEP_CUH

#include "kernels/align/bscan/bscan_column.cuh"
#include "kernels/align/cuda/cuda_grouping.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

namespace
{

enum { WARP = 32, SETS = 16, WILD = SETS, LETTERS, QUAD = 4 };

/* Queries of more words have no room for four columns of code in the cache. */
enum { UNROLLED_MAX = 16 };

struct edit_filter_launch_t {
    cuda_set_t set;
    const pair_t *pairs;
    int *keep; /* [n] of the pairs */
    cuda_grouping_queue_t queue;
    const int *max_edits; /* edit_filter_bound_t's */
    const int *min_end;   /* [letters of the shorter] edit_filter_bound_min_end */
    bool free_ends;       /* or else the query's count */
};

/* A thread's pair. */
struct lane_t {
    int index, m, n, min_end;
    const unsigned char *rows;   /* the query, alike in all lanes */
    const unsigned char *target; /* column 0, with the pads */
    int row_pads, column_pads, n_columns;
    unsigned pad; /* four letters of a pad */
    bool counts;  /* or else a copy that fills the warp */
};

template <int W>
__device__ lane_t lane_of(const edit_filter_launch_t &p, cuda_pair_group_t group)
{
    const int lane = threadIdx.x;
    lane_t l;

    l.counts = lane < group.count;
    l.index = p.queue.order[group.first + min(lane, group.count - 1)];
    const pair_t pair = p.pairs[l.index];

    l.m = p.set.len[pair.query];
    l.n = p.set.len[pair.target];
    l.min_end = p.min_end[min(l.m, l.n)];
    l.rows = p.set.letters + p.set.start[pair.query];
    l.row_pads = WARP * W - l.m;
    l.n_columns = (cuda_warp_max(l.n) + WARP - 1) / WARP * WARP;
    l.column_pads = l.n_columns - l.n;
    l.target = p.set.letters + p.set.start[pair.target] - l.column_pads;
    l.pad = p.free_ends ? 0x01010101u * WILD : 0;
    return l;
}

/* @return four columns' letters */
__device__ unsigned quad_of(const lane_t &l, int column)
{
    const int pads = l.column_pads - column;

    if (pads >= QUAD)
        return l.pad;
    const unsigned quad = *reinterpret_cast<const unsigned *>(l.target + column);

    return pads <= 0 ? quad : quad | (l.pad & ((1u << (8 * pads)) - 1));
}

/* @return in lane c: the rows, W apart, whose sets meet the set c, and the pads; lane
 * WILD and those behind it: all */
template <int W> __device__ unsigned mask_of_lane(const lane_t &l, int first)
{
    const int row = first + static_cast<int>(threadIdx.x) * W - l.row_pads;
    const unsigned letter = row >= 0 ? l.rows[row] : 0;
    const unsigned mask = bscan_mask(letter, __ballot_sync(ALL, row < 0));

    return threadIdx.x < SETS ? mask : ALL;
}

/* Column 0. */
template <int W>
__device__ void start(const edit_filter_launch_t &p, const lane_t &l, stripes_t<W> &s)
{
#pragma unroll
    for (int w = 0; w < W; w++) {
        const int row = w + static_cast<int>(threadIdx.x) * W - l.row_pads;

        s.pv[w] = __ballot_sync(ALL, row >= 0 && !p.free_ends);
        s.mv[w] = 0;
    }
}

/* @return whether one of n cells in a row may have few edits, the first and last of which
 *         have so many, with `letters` at the last: they change by one at most */
__device__ bool may_do(const edit_filter_launch_t &p, int before, int after, int n,
                       int letters)
{
    return letters > 0 && (before + after - n) / 2 <= p.max_edits[letters];
}

/* @return whether one of the last row's WARP columns up to `column` is an end that does
 */
__device__ bool row_does(const edit_filter_launch_t &p, const lane_t &l, border_t below,
                         int before, int after, int column)
{
    const int letters = min(column - l.column_pads, l.m);
    bool does = false;

    if (!__any_sync(ALL, may_do(p, before, after, WARP, letters)))
        return false;
    for (int k = 1; k <= WARP; k++) {
        const int f =
            before + __popc(below.hp >> (WARP - k)) - __popc(below.hn >> (WARP - k));
        const int here = min(column - WARP + k - l.column_pads, l.m);

        does |= here >= l.min_end && f <= p.max_edits[here];
    }
    return does;
}

/* The same of the last column's rows. */
template <int W>
__device__ bool column_does(const edit_filter_launch_t &p, const lane_t &l,
                            const stripes_t<W> &s)
{
    bool does = false;
    int f = 0;

#pragma unroll 1
    for (int b = 0; b < WARP; b++) {
        const int first = b * W - l.row_pads + 1; /* letters at word 0's row */
        int after = f;

#pragma unroll
        for (int w = 0; w < W; w++)
            after +=
                static_cast<int>(s.pv[w] >> b & 1) - static_cast<int>(s.mv[w] >> b & 1);
        if (__any_sync(ALL, may_do(p, f, after, W, min(first + W - 1, l.n)))) {
#pragma unroll
            for (int w = 0; w < W; w++) {
                const int here = min(first + w, l.n);

                f += static_cast<int>(s.pv[w] >> b & 1) -
                     static_cast<int>(s.mv[w] >> b & 1);
                does |= here >= l.min_end && f <= p.max_edits[here];
            }
        }
        f = after;
    }
    return does;
}

/* All columns. @return whether an end in the last row does */
template <int W>
__device__ bool sweep(const edit_filter_launch_t &p, const lane_t &l, stripes_t<W> &s,
                      const unsigned *masks)
{
    constexpr int UNROLLED = W <= UNROLLED_MAX ? QUAD : 1;
    border_t above = {0, 0}, below = {0, 0};
    unsigned letters = quad_of(l, 0);
    int f = p.free_ends ? 0 : l.m;
    bool does = false;

    for (int column = 0; column < l.n_columns;) {
        for (int k = 0; k < WARP; k += QUAD) {
            unsigned quad = letters << 2; /* offsets into masks, in bytes */

            column += QUAD;
            letters = column < l.n_columns ? quad_of(l, column) : 0;
#pragma unroll UNROLLED
            for (int i = 0; i < QUAD; i++) {
                const masks_t<LETTERS> eq = {masks, quad & 0xff};

                bscan_column<W, true>(s, eq, ALL, above, below);
                quad >>= 8;
            }
        }
        const int after = f + __popc(below.hp) - __popc(below.hn);

        does |= row_does(p, l, below, f, after, column);
        f = after;
    }
    return does;
}

/* Judge a unit's pairs. */
template <int W>
__device__ void decide_group(const edit_filter_launch_t &p, cuda_pair_group_t group,
                             unsigned *masks)
{
    const lane_t l = lane_of<W>(p, group);
    stripes_t<W> s;

    __syncwarp();
#pragma unroll 1
    for (int w = 0; w < W; w++) {
        const unsigned mask = mask_of_lane<W>(l, w);

        if (threadIdx.x < LETTERS)
            masks[w * LETTERS + threadIdx.x] = mask;
    }
    __syncwarp();
    start(p, l, s);
    bool does = sweep<W>(p, l, s, masks);

    if (p.free_ends)
        does |= column_does<W>(p, l, s);
    if (l.counts)
        p.keep[l.index] = does;
}

} // namespace

#endif
