/*
 * affine_trace.cuh - traces a pair with affine gaps or priced ends: sweeps its band and
 * keeps the way back from each cell (affine_back_t), then follows it from the end.
 */
#pragma once

#include "kernels/align/affine/affine_sweep.cuh"
#include "kernels/align/rscan/rscan_trace_pair.cuh"

namespace
{

constexpr int AFFINE_TRACE_ROWS = RSCAN_TRACE_ROWS;

using affine_trace_back_t = affine_back_words_t<AFFINE_TRACE_ROWS>;

/* @tparam KIND  TABLE_KEY or KEY */
template <int KIND>
using affine_trace_line_t = affine_line_t<typename affine_kind_t<KIND>::word>;
template <int KIND>
using affine_trace_warp_t = trace_warp_t<affine_trace_line_t<KIND>, affine_trace_back_t>;

/* The last end of a pair with its numbers. */
struct affine_trace_end_t {
    int i, j;
};

/* @return the end at a place (affine_traced_t) */
CUDA_BOTH inline affine_trace_end_t affine_trace_end(const padded_pair_t &pair, int place)
{
    return place > pair.m ? affine_trace_end_t{pair.m, place - pair.m - 1}
                          : affine_trace_end_t{place, pair.n};
}

/*
 * Sweep the band of a warp, which is also that of the pairs.
 *
 * @param table   of the kind
 * @param stride  from a column of the warp's line and blocks to the next one
 * @param end     out
 * @return whether the way back from the end is certain; always, but for KEY
 */
template <int KIND>
CUDA_BOTH inline bool affine_trace_sweep(const affine_launch_t &p,
                                         const affine_entry_t<KIND> *table,
                                         const affine_pairs_t &pairs,
                                         const affine_trace_warp_t<KIND> &w, int stride,
                                         affine_trace_end_t *end)
{
    constexpr int ROWS = AFFINE_TRACE_ROWS;
    const packed_pairs_t &packed = pairs.packed;
    const padded_pair_t &pair = packed.pairs[0];
    const bool row_ends = affine_ends(p, pairs, AFFINE_ROWS),
               column_ends = affine_ends(p, pairs, AFFINE_COLUMNS);
    affine_traced_t<ROWS> trace = {};
    affine_thread_t<KIND, ROWS> s = {};

    affine_start_line<KIND, ROWS>(p, pairs, w.line, stride);
    for (s.row0 = 0; s.row0 < packed.n_rows; s.row0 += ROWS) {
        const int from = affine_first_column(packed, s.row0);
        const int to = affine_end_column<ROWS>(packed, s.row0);

        if (s.row0 + ROWS <= pair.row_pads)
            continue;
        affine_start_band<KIND, ROWS>(p, table, pairs, s, 0, from, w.line, stride);
        trace.out = w.blocks + s.row0 / ROWS * w.width * stride;
        if (column_ends && s.row0 + ROWS == packed.n_rows)
            affine_sweep_rows<KIND, ROWS, true>(p, table, pairs, s, from, to, w.line,
                                                stride, trace);
        else
            affine_sweep_rows<KIND, ROWS, false>(p, table, pairs, s, from, to, w.line,
                                                 stride, trace);
        if (row_ends && to == packed.n_columns)
            affine_end_in_column<KIND, ROWS>(p, pairs, s, trace);
    }
    const bool counted = !row_ends && !column_ends;

    *end = counted ? affine_trace_end_t{pair.m, pair.n}
                   : affine_trace_end(pair, trace.place);
    if constexpr (AFFINE_HAS_TIES<KIND>) {
        if (counted)
            s.best =
                affine_key_end(p, pairs, s.row0 - ROWS, s.h[ROWS - 1], pair.m, pair.n, 0);
        return (s.best & 1) != 0;
    }
    return true;
}

/* Where the bits of a pair's cells are. */
template <int KIND> struct affine_back_bits_t {
    const padded_pair_t *pair;
    const affine_trace_warp_t<KIND> *warp;
    int stride;

    /* @return the bits of cell (i, j) */
    CUDA_BOTH unsigned read(int i, int j) const
    {
        constexpr int ROWS = AFFINE_TRACE_ROWS;
        const int row = i - 1 + pair->row_pads, column = j - 1 + pair->column_pads;
        const int r = row % ROWS, row0 = row - r;
        const unsigned *back = warp->blocks[(row0 / ROWS * warp->width + column -
                                             first_column(*warp, row0)) *
                                            stride]
                                   .at;

        return back[r / AFFINE_BACK_ROWS] >> (r % AFFINE_BACK_ROWS * AFFINE_BACK_BITS) &
               ((1u << AFFINE_BACK_BITS) - 1);
    }
};

/* Which bases match. */
struct affine_match_t {
    const affine_columns_t *columns;

    CUDA_BOTH bool operator()(unsigned a, unsigned b) const
    {
        const unsigned at = a * DNA_SIZE + b;

        return (columns->is_match[at / 32] >> (at % 32) & 1) != 0;
    }
};

/* Follow the path of a pair back from its end.
 * @param bits     its read(i, j) returns the bits of a cell
 * @param matches  whether a row's base and a column's match
 * @param ops      cuda_path_ops
 * @param runs     [m + n] out: the last run first
 * @return the number of runs */
template <typename BITS, typename MATCHES>
CUDA_BOTH inline int affine_follow(const padded_pair_t &pair, const BITS &bits,
                                   const MATCHES &matches, affine_trace_end_t end,
                                   unsigned ops, uint32_t *runs)
{
    enum { IN_H, IN_E, IN_F } value = IN_H;
    cuda_path_t path = {end.i, end.j, 0, 0};

    cuda_path_put(&path, runs, ops, CUDA_UP, pair.m - end.i);
    cuda_path_put(&path, runs, ops, CUDA_LEFT, pair.n - end.j);
    while (path.i > 0 && path.j > 0) {
        const unsigned back = bits.read(path.i, path.j);

        if (value == IN_H && (back & AFFINE_DIAGONAL) != 0) {
            const bool meet = matches(pair.row_end[path.i - 1 - pair.m],
                                      pair.column_end[path.j - 1 - pair.n]);

            cuda_path_put(&path, runs, ops,
                          meet ? CUDA_DIAGONAL_MATCH : CUDA_DIAGONAL_MISMATCH, 1);
            path.i--;
            path.j--;
            continue;
        }
        if (value == IN_H)
            value = (back & AFFINE_BY_F) != 0 ? IN_F : IN_E;
        if (value == IN_F) {
            cuda_path_put(&path, runs, ops, CUDA_UP, 1);
            value = (back & AFFINE_F_FIRST) != 0 ? IN_H : IN_F;
            path.i--;
        } else { /* the column in front knows whether this is the first base */
            cuda_path_put(&path, runs, ops, CUDA_LEFT, 1);
            path.j--;
            if (path.j > 0 && (bits.read(path.i, path.j) & AFFINE_E_FIRST) != 0)
                value = IN_H;
        }
    }
    cuda_path_put(&path, runs, ops, CUDA_UP, path.i);
    cuda_path_put(&path, runs, ops, CUDA_LEFT, path.j);
    if (path.run != 0)
        runs[path.n_runs++] = path.run;
    return path.n_runs;
}

} // namespace
