/*
 * rscan_trace_pair.cuh - which pairs are traced, what their rows are, and in which bands.
 */
#pragma once

#include "kernels/align/bscan/band_flank.cuh"
#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/rscan/rscan_packed.cuh"
#include "kernels/align/rscan/rscan_trace_launch.cuh"

namespace
{

/* @return the diagonal steps of a pair's alignment, or a lower bound: see
 * rscan_trace_launch.cuh
 * @param n_bases  of both sequences */
__device__ inline int diagonal_steps(const rscan_trace_launch_t &trace, unsigned at,
                                     int n_bases)
{
    const rscan_launch_t &p = trace.scan;
    const cell_layout_t &f = p.layout;

    if (trace.steps == RSCAN_STEPS_OF_MATCHES)
        return p.matches[at];
    if (trace.steps == RSCAN_STEPS_OF_COLUMNS)
        return n_bases - p.columns[at];
    const long long c = f.gap_cost, match = f.match * f.unit - 2 * c;
    const long long dearer =
        f.mismatch * f.unit - c; /* score of a mismatch minus a gap */
    const long long matches = p.matches[at], gaps = p.columns[at] - matches;

    return static_cast<int>(
        dearer == 0 ? matches
                    : matches + (p.score[at] - match * matches + c * gaps) / dearer);
}

__device__ inline bool has_cigar(const rscan_trace_launch_t &p, unsigned at)
{
    const pair_t pair = p.scan.pairs[at];

    return cuda_cigar_exists(p.scan.layout.rows_free, p.min_overlap, p.scan.columns[at],
                             p.scan.set.len[pair.query], p.scan.set.len[pair.target]);
}

/* @return whether the target's bases are the rows: the opposite of
 * nw_reference_query_is_rows */
__device__ inline bool is_mirrored(const rscan_trace_launch_t &p, unsigned at)
{
    const pair_t pair = p.scan.pairs[at];

    return p.rank[pair.query] > p.rank[pair.target];
}

/* A band: -low <= j - i <= high. */
struct trace_band_t {
    int low, high;
};

/* @return the band that has a pair's corridor
 * @param mirrored  whether the target's bases are the rows */
__device__ inline trace_band_t corridor_band(const rscan_launch_t &p, unsigned at,
                                             bool mirrored)
{
    const int n_blocks =
        (p.set.len[p.pairs[at].target] + CORRIDOR_SPAN - 1) / CORRIDOR_SPAN;
    const corridor_block_t *blocks =
        p.corridors + static_cast<long long>(at) * p.n_corridor_blocks;
    int low = INT_MAX, high = INT_MIN;

    for (int k = 0; k < n_blocks; k++) {
        if (blocks[k].low > blocks[k].high)
            continue;
        low = min(low, static_cast<int>(blocks[k].low));
        high = max(high, static_cast<int>(blocks[k].high));
    }
    return mirrored ? trace_band_t{high, -low} : trace_band_t{-low, high};
}

__device__ inline trace_band_t narrowed(const trace_band_t &a, const trace_band_t &b)
{
    return trace_band_t{min(a.low, b.low), min(a.high, b.high)};
}

/* @return the band that has all alignments of a pair with its numbers: see
 * rscan_trace_launch.cuh
 * @param m, n  bases of its rows and columns */
__device__ inline trace_band_t trace_band(const rscan_trace_launch_t &trace, unsigned at,
                                          int m, int n)
{
    const rscan_launch_t &p = trace.scan;
    const int d = diagonal_steps(trace, at, m + n);
    const trace_band_t band = {m - d, n - d};
    int w = -1;

    if (p.corridors != nullptr && p.band_w[at] >= 0)
        return narrowed(band, corridor_band(p, at, is_mirrored(trace, at)));
    if (trace.band_w != nullptr && trace.band_w[at] >= 0)
        w = trace.band_w[at] + FLANK_ROWS + QUAD;
    return w < 0 ? band
                 : narrowed(band, trace_band_t{w + max(m - n, 0), w + max(n - m, 0)});
}

/* @return the pairs of the order */
__device__ inline int n_traced(const rscan_trace_launch_t &p)
{
    return p.n_order == nullptr ? p.n : *p.n_order;
}

/* @return the pair at a place of the order, with its own band; without rows if there is
 * no pair, or none to trace */
__device__ inline packed_pairs_t traced_pair(const rscan_trace_launch_t &p, int k)
{
    packed_pairs_t packed = {};

    if (k >= n_traced(p) || !has_cigar(p, p.order[k]))
        return packed;
    const unsigned at = p.order[k];

    packed.pairs[0] = padded_pair_of(p.scan, at, is_mirrored(p, at));
    pad_pairs<1>(&packed, RSCAN_TRACE_ROWS);
    const padded_pair_t &pair = packed.pairs[0];
    const trace_band_t band = trace_band(p, at, pair.m, pair.n);
    const int shift = pair.row_pads - pair.column_pads;

    packed.low = band.low + shift;
    packed.high = band.high - shift;
    return packed;
}

/* What the lanes of a warp have in common, but for their places in line and blocks.
 * @tparam LINE, BLOCK  what is kept of a column for the rows below, and its directions */
template <typename LINE, typename BLOCK> struct trace_warp_t {
    int low, high;   /* the band: -low <= j - i <= high */
    long long width; /* columns of the directions of RSCAN_TRACE_ROWS rows */
    LINE *line;
    BLOCK *blocks;
};

/* @return the first column of the band in a thread's rows */
template <typename LINE, typename BLOCK>
CUDA_BOTH inline int first_column(const trace_warp_t<LINE, BLOCK> &w, int row0)
{
    return max(row0 - w.low, 0) / QUAD * QUAD;
}

/* @return the end of its columns */
template <typename LINE, typename BLOCK>
CUDA_BOTH inline int end_column(const trace_warp_t<LINE, BLOCK> &w, int row0,
                                int n_columns)
{
    return min((row0 + RSCAN_TRACE_ROWS + w.high + QUAD - 1) / QUAD * QUAD, n_columns);
}

/* Set the band of a warp to the union of its lanes'. @return whether it fits `blocks`
 * @param n_rows, n_columns  the maximum in the warp, including pads; > 0 */
template <typename LINE, typename BLOCK>
__device__ inline bool take_band(const rscan_trace_launch_t &p,
                                 const packed_pairs_t &packed, int n_rows, int n_columns,
                                 trace_warp_t<LINE, BLOCK> *w)
{
    const bool is_empty = packed.n_rows == 0;

    w->low = cuda_warp_max(is_empty ? -RSCAN_NO_BAND : packed.low);
    w->high = cuda_warp_max(is_empty ? -RSCAN_NO_BAND : packed.high);
    w->width = min(RSCAN_TRACE_ROWS + w->low + w->high + 2 * QUAD, n_columns);
    return p.list != nullptr || n_rows / RSCAN_TRACE_ROWS * w->width <= p.blocks_len;
}

/* List a place as one whose band does not fit. */
__device__ inline void list_large(const rscan_trace_launch_t &p, int place)
{
    if (threadIdx.x % WARP == 0)
        p.large[atomicAdd(p.n_large, 1)] = place;
}

} // namespace
