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

using affine_trace_warp_t = trace_warp_t<affine_line_t<affine_key_t>, uint2>;
using affine_trace_thread_t = affine_thread_t<AFFINE_TABLE_KEY, AFFINE_TRACE_ROWS>;

/* The last end of a pair with its numbers. */
struct affine_trace_end_t {
    int i, j;
};

/* Sweep the band of a warp, which is also that of the pairs.
 * @param table   of TABLE_KEY
 * @param stride  from a column of the warp's line and blocks to the next one */
CUDA_BOTH inline affine_trace_end_t affine_trace_sweep(const affine_launch_t &p,
                                                       const affine_key_t *table,
                                                       const affine_pairs_t &pairs,
                                                       const affine_trace_warp_t &w,
                                                       int stride)
{
    constexpr int KIND = AFFINE_TABLE_KEY, ROWS = AFFINE_TRACE_ROWS;
    const packed_pairs_t &packed = pairs.packed;
    const padded_pair_t &pair = packed.pairs[0];
    const bool row_ends = affine_ends(p, pairs, AFFINE_ROWS),
               column_ends = affine_ends(p, pairs, AFFINE_COLUMNS);
    affine_traced_t<ROWS> trace = {};
    affine_trace_thread_t s = {};

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
    if (!row_ends && !column_ends)
        return affine_trace_end_t{pair.m, pair.n};
    return trace.place > pair.m ? affine_trace_end_t{pair.m, trace.place - pair.m - 1}
                                : affine_trace_end_t{trace.place, pair.n};
}

/* Where the bits of a pair's cells are. */
struct affine_back_bits_t {
    const padded_pair_t *pair;
    const affine_trace_warp_t *warp;
    int stride;

    /* @return the bits of cell (i, j) */
    CUDA_BOTH unsigned read(int i, int j) const
    {
        constexpr int PER_WORD = 32 / AFFINE_BACK_BITS;
        const int row = i - 1 + pair->row_pads, column = j - 1 + pair->column_pads;
        const int r = row % AFFINE_TRACE_ROWS, row0 = row - r;
        const uint2 back = warp->blocks[(row0 / AFFINE_TRACE_ROWS * warp->width + column -
                                         first_column(*warp, row0)) *
                                        stride];

        return (r < PER_WORD ? back.x : back.y) >> (r % PER_WORD * AFFINE_BACK_BITS) &
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
