/*
 * affine_lane.cuh - a warp that sweeps one pair with affine gaps: its lanes hold
 * AFFINE_LANE_ROWS rows each, and a lane is one column behind the lane before it.  Rows
 * are padded to whole strips, columns have no pads.  Steps come from a table.
 *
 * Everything here also runs on the CPU, where tests compare it with the reference.
 */
#pragma once

#include "kernels/align/affine/affine_sweep.cuh"

namespace
{

template <int KIND> using affine_lane_t = affine_thread_t<KIND, AFFINE_LANE_ROWS>;

/* @param pair     without pads
 * @param swapped  as in affine_pairs_t */
CUDA_BOTH inline affine_pairs_t affine_lane_pair(const padded_pair_t &pair, bool swapped)
{
    affine_pairs_t out = {};
    padded_pair_t *padded = &out.packed.pairs[0];

    *padded = pair;
    out.packed.n_rows = (pair.m + AFFINE_STRIP - 1) / AFFINE_STRIP * AFFINE_STRIP;
    out.packed.n_columns = pair.n;
    padded->row_pads = out.max_row_pads = out.packed.n_rows - pair.m;
    padded->column_pads = 0;
    out.swapped = swapped;
    return out;
}

/* Prepare a lane for a strip. @param table  of the kind, of any alphabet */
template <int KIND>
CUDA_BOTH inline void affine_lane_start(const affine_launch_t &p,
                                        const affine_pairs_t &pairs,
                                        const affine_entry_t<KIND> *table, int strip,
                                        int lane, affine_lane_t<KIND> *s)
{
    s->row0 = strip * AFFINE_STRIP + lane * AFFINE_LANE_ROWS;
    s->best = 0;
    affine_start_rows<KIND, AFFINE_LANE_ROWS>(p, table, pairs, *s);
}

/* Compute the lane's cells of a column. @param up  as for affine_step */
template <int KIND, typename TRACE>
CUDA_BOTH inline void affine_lane_column(
    const affine_launch_t &p, const affine_pairs_t &pairs, affine_lane_t<KIND> &s,
    int column, unsigned letter, affine_line_t<typename affine_kind_t<KIND>::word> &up,
    TRACE &trace)
{
    constexpr int ROWS = AFFINE_LANE_ROWS;
    const packed_pairs_t &packed = pairs.packed;
    const int behind = packed.n_columns - 1 - column;
    const bool in_last_row =
        affine_ends(p, pairs, AFFINE_COLUMNS) && s.row0 + ROWS == packed.n_rows;
    const bool in_last_column = affine_ends(p, pairs, AFFINE_ROWS) && behind == 0;
    typename affine_kind_t<KIND>::word end;

    if (in_last_column || s.row0 < packed.pairs[0].row_pads) {
        affine_edge_t edge = {};

        edge.row_pads[0] = packed.pairs[0].row_pads - s.row0;
        edge.in_last_column = in_last_column;
        edge.in_last_row = in_last_row;
        end = affine_step_edge<KIND, ROWS>(p, s, up, column_t{letter, 0}, edge, trace);
    } else {
        end = affine_step<KIND, ROWS>(p, s, up, column_t{letter, 0}, trace, in_last_row);
    }
    if (in_last_row)
        affine_end<KIND, ROWS, AFFINE_COLUMNS>(p, pairs, s, end, behind, trace);
}

/* Find the lane's best end, once all columns of its strip have been swept. */
template <int KIND, typename TRACE>
CUDA_BOTH inline void affine_lane_finish(const affine_launch_t &p,
                                         const affine_pairs_t &pairs,
                                         affine_lane_t<KIND> &s, TRACE &trace)
{
    if (affine_ends(p, pairs, AFFINE_ROWS))
        affine_end_in_column<KIND, AFFINE_LANE_ROWS>(p, pairs, s, trace);
    else if (!affine_ends(p, pairs, AFFINE_COLUMNS) &&
             s.row0 + AFFINE_LANE_ROWS == pairs.packed.n_rows)
        s.best = s.h[AFFINE_LANE_ROWS - 1];
}

#ifdef __CUDACC__
template <typename WORD>
__device__ inline affine_line_t<WORD> affine_line_above(const affine_line_t<WORD> &line)
{
    return {__shfl_up_sync(ALL, line.h, 1), __shfl_up_sync(ALL, line.f, 1)};
}

template <typename WORD>
__device__ inline affine_line_t<WORD> affine_line_of(const affine_line_t<WORD> &line,
                                                     int lane)
{
    return {__shfl_sync(ALL, line.h, lane), __shfl_sync(ALL, line.f, lane)};
}
#endif

} // namespace
