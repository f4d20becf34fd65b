/*
 * tiled_affine_lane.cuh - what a lane of tiled_affine.cuh computes, and the result of a
 * pair.  Everything here also runs on the CPU, where test_tiled_affine compares it with
 * the reference.
 */
#pragma once

#include "kernels/align/affine/affine_lane.cuh"
#include "kernels/align/affine/affine_result.cuh"
#include "kernels/align/affine/affine_trace.cuh"
#include "kernels/align/tiled/tiled_affine.cuh"

namespace
{

template <int KIND> using tiled_word_t = typename affine_kind_t<KIND>::word;
using tiled_traced_t = affine_traced_t<AFFINE_LANE_ROWS>;

CUDA_BOTH inline affine_pairs_t tiled_affine_pairs(const tiled_affine_launch_t &p,
                                                   const tiled_affine_pair_t &pair)
{
    const cuda_set_t &set = p.sweep.rounds.set;
    padded_pair_t padded = {};

    padded.index = static_cast<unsigned>(pair.index);
    padded.row_end = set.letters + set.start[pair.row_sequence] + pair.m;
    padded.column_end = set.letters + set.start[pair.column_sequence] + pair.n;
    padded.m = pair.m;
    padded.n = pair.n;
    return affine_lane_pair(padded, pair.mirrored);
}

/* Find the lane's best end, once all columns have been swept. */
template <int KIND, typename TRACE>
CUDA_BOTH inline tiled_affine_end_t tiled_affine_finish(const affine_launch_t &p,
                                                        const affine_pairs_t &pairs,
                                                        affine_lane_t<KIND> &s,
                                                        TRACE &trace)
{
    tiled_affine_end_t end = {0, 0};

    affine_lane_finish<KIND>(p, pairs, s, trace);
    end.best = static_cast<long long>(s.best);
    if constexpr (TRACE::ON)
        end.place = trace.place;
    return end;
}

/* @return the better end, or of equal ones the last */
CUDA_BOTH inline tiled_affine_end_t tiled_affine_better(tiled_affine_end_t a,
                                                        tiled_affine_end_t b)
{
    return a.best > b.best || (a.best == b.best && a.place > b.place) ? a : b;
}

/* The directions of a pair, for affine_follow. */
struct tiled_affine_bits_t {
    const unsigned *directions;
    int n, row_pads;

    CUDA_BOTH unsigned read(int i, int j) const
    {
        const int row = i - 1 + row_pads, r = row % AFFINE_LANE_ROWS;
        const int lane = row % AFFINE_STRIP / AFFINE_LANE_ROWS;

        return directions[tiled_affine_at(n, row / AFFINE_STRIP, lane, j - 1)] >>
                   (r * AFFINE_BACK_BITS) &
               ((1u << AFFINE_BACK_BITS) - 1);
    }
};

/* What of two bases counts as a match: steps of a table have it in the lowest bit of M.
 */
struct tiled_affine_match_t {
    const long long *table;
    int stride, m_shift;

    CUDA_BOTH bool operator()(unsigned a, unsigned b) const
    {
        return (table[a * static_cast<unsigned>(stride) + b] >> m_shift & 1) != 0;
    }
};

/* Store the result of a pair whose strips have been swept, and trace it. */
template <int KIND>
CUDA_BOTH inline void tiled_affine_store(const tiled_affine_launch_t &p,
                                         const tiled_affine_pair_t &pair)
{
    const affine_layout_t &f = p.sweep.layout;
    const affine_pairs_t pairs = tiled_affine_pairs(p, pair);
    const padded_pair_t &padded = pairs.packed.pairs[0];
    const bool counted = !f.sides[0].ends && !f.sides[1].ends;
    tiled_affine_end_t end = {static_cast<long long>(
                                  affine_two_gaps<KIND>(p.sweep, padded)),
                              -1};

    for (int k = 0; k < tiled_affine_strips(pair.m); k++)
        end = tiled_affine_better(p.ends[pair.first_strip + k], end);
    affine_store_pair(p.sweep, padded, end.best);
    if (p.directions == nullptr || p.sweep.rounds.columns[pair.index] == 0)
        return;
    const affine_trace_end_t last = counted ? affine_trace_end_t{pair.m, pair.n}
                                            : affine_trace_end(padded, end.place);
    const tiled_affine_bits_t bits = {p.directions + pair.directions, pair.n,
                                      padded.row_pads};

    p.n_runs[pair.index] =
        affine_follow(padded, bits,
                      tiled_affine_match_t{p.table, f.table_stride, f.m_shift}, last,
                      cuda_path_ops(p.column_ops, pair.mirrored),
                      p.runs + p.trace_start[pair.index]);
}

} // namespace
