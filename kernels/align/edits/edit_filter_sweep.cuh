/*
 * edit_filter_sweep.cuh - a warp tests whether 32 pairs of the same query have an end
 * with few enough edits.
 *
 * The rows are the bases of the query, in stripes (bscan_column.cuh). A thread has the
 * matrix of one pair. F(i, j) is that of edit_filter_bound.h: an edit distance that is 0
 * along the top border, and along the left border 0 if the query's ends are free, else i.
 *
 * Rows are padded in front so that they fill W words, and columns so that all targets end
 * in the last column. Row pads match everything; so F of the top border, 0, reaches the
 * query's first row. Column pads must leave F as it is on the left border: where that is
 * 0 they match everything; otherwise they match nothing, and all bases of the query above
 * a cell are edits.
 *
 * So the last row is the highest bit of the last word, and its changes of F leave each
 * column as carries. The changes along the last column are left in the words. F changes
 * by at most one from cell to cell, so most stretches of cells are ruled out by the
 * values at their two ends.
 */
#pragma once

#include "kernels/align/bscan/bscan_window.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

namespace
{

enum { SETS = 16, WILD = SETS, LETTERS };

/* With more words, four unrolled columns do not fit into the instruction cache. */
enum { UNROLLED_MAX = 16 };

struct edit_filter_launch_t {
    cuda_set_t set;
    const pair_t *pairs;
    int *keep;                       /* [n] by pair */
    const unsigned char *edits_left; /* kmer_band_launch_t */
    cuda_grouping_queue_t queue;
    const int *max_edits; /* edit_filter_bound_t */
    const int *min_end;   /* edit_filter_bound_min_end of each length */
    bool free_ends;       /* or else the query's ends are counted */
};

/* The pair of a thread. */
struct lane_t {
    int index, m, n, min_end;
    const unsigned char *rows;   /* the query, the same in all lanes */
    const unsigned char *target; /* from column 0 on, the pads included */
    int row_pads, column_pads, n_columns;
    unsigned pad; /* four letters of a pad */
    bool counts;  /* false: a copy of another pair, which fills the warp */
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

/* @return the letters of four columns */
__device__ unsigned quad_of(const lane_t &l, int column)
{
    const int pads = l.column_pads - column;

    if (pads >= QUAD)
        return l.pad;
    const unsigned quad = *reinterpret_cast<const unsigned *>(l.target + column);

    return pads <= 0 ? quad : quad | (l.pad & ((1u << (8 * pads)) - 1));
}

/* @return in lane c < SETS: the rows, W apart, whose sets intersect the set c, and the
 *         pads; in lane WILD and above: all rows */
template <int W> __device__ unsigned mask_of_lane(const lane_t &l, int first)
{
    const int row = first + static_cast<int>(threadIdx.x) * W - l.row_pads;
    const unsigned letter = row >= 0 ? l.rows[row] : 0;
    const unsigned mask = bscan_mask(letter, __ballot_sync(ALL, row < 0));

    return threadIdx.x < SETS ? mask : ALL;
}

/* Set column 0. */
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

/* @return whether one of n successive cells may have few enough edits, given F before the
 *         first and at the last, with `letters` = min(i, j) at the last. F changes by at
 *         most one from cell to cell. */
__device__ bool may_pass(const edit_filter_launch_t &p, int before, int after, int n,
                         int letters)
{
    return letters > 0 && (before + after - n) / 2 <= p.max_edits[letters];
}

/* @return whether the last row has an end within the bound in the WARP columns up to
 *         `column` */
__device__ bool last_row_passes(const edit_filter_launch_t &p, const lane_t &l,
                                border_t below, int before, int after, int column)
{
    const int letters = min(column - l.column_pads, l.m);
    bool passes = false;

    if (!__any_sync(ALL, may_pass(p, before, after, WARP, letters)))
        return false;
    for (int k = 1; k <= WARP; k++) {
        const int f =
            before + __popc(below.hp >> (WARP - k)) - __popc(below.hn >> (WARP - k));
        const int here = min(column - WARP + k - l.column_pads, l.m);

        passes |= here >= l.min_end && f <= p.max_edits[here];
    }
    return passes;
}

/* @return whether the last column has an end within the bound */
template <int W>
__device__ bool last_column_passes(const edit_filter_launch_t &p, const lane_t &l,
                                   const stripes_t<W> &s)
{
    bool passes = false;
    int f = 0;

#pragma unroll 1
    for (int b = 0; b < WARP; b++) {
        const int first = b * W - l.row_pads + 1; /* bases up to the row of word 0 */
        int after = f;

#pragma unroll
        for (int w = 0; w < W; w++)
            after +=
                static_cast<int>(s.pv[w] >> b & 1) - static_cast<int>(s.mv[w] >> b & 1);
        if (__any_sync(ALL, may_pass(p, f, after, W, min(first + W - 1, l.n)))) {
#pragma unroll
            for (int w = 0; w < W; w++) {
                const int here = min(first + w, l.n);

                f += static_cast<int>(s.pv[w] >> b & 1) -
                     static_cast<int>(s.mv[w] >> b & 1);
                passes |= here >= l.min_end && f <= p.max_edits[here];
            }
        }
        f = after;
    }
    return passes;
}

/* Compute all columns. @return whether the last row has an end within the bound */
template <int W>
__device__ bool sweep(const edit_filter_launch_t &p, const lane_t &l, stripes_t<W> &s,
                      const unsigned *masks)
{
    constexpr int UNROLLED = W <= UNROLLED_MAX ? QUAD : 1;
    border_t above = {0, 0}, below = {0, 0};
    unsigned letters = quad_of(l, 0);
    int f = p.free_ends ? 0 : l.m;
    bool passes = false;

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

        passes |= last_row_passes(p, l, below, f, after, column);
        f = after;
    }
    return passes;
}

/* Test the pairs of a group. */
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
    bool passes = sweep<W>(p, l, s, masks);

    if (p.free_ends)
        passes |= last_column_passes<W>(p, l, s);
    if (l.counts)
        p.keep[l.index] = passes;
}

} // namespace
