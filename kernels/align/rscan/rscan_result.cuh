/*
 * rscan_result.cuh - the results of a thread's pairs: stored if they are certain, or else
 * the pair is listed for a later round (rscan_cuda.cu).
 */
#pragma once

#include "kernels/align/rscan/rscan_packed.cuh"

namespace
{

/* @return whether the result proves that the band was wide enough (edit_band.h) */
__device__ bool certified(const rscan_launch_t &p, const packed_pairs_t &packed,
                          const padded_pair_t &pair, const end_t &e)
{
    const int low =
        packed.low - pair.row_pads + pair.column_pads - max(pair.m - pair.n, 0);
    const int high =
        packed.high - pair.column_pads + pair.row_pads - max(pair.n - pair.m, 0);
    const int w = min(low, high);
    const edit_costs_t costs = rscan_costs(p.layout);

    return w >= min(pair.m, pair.n) - 1 ||
           costs.gap * (pair.m + pair.n) - 2 * e.rank <
               edit_band_min(costs, p.edits[pair.index], abs(pair.m - pair.n), w);
}

__device__ inline void list_pair(const rscan_list_t &list, unsigned index)
{
    list.pairs[atomicAdd(list.n, 1)] = index;
}

/* List a pair to be aligned again in a window and in the band of its path (tie_code.h).
 */
__device__ inline void list_for_window(const rscan_launch_t &p, const padded_pair_t &pair,
                                       const tie_end_t &end, const tie_start_t &start)
{
    const int diagonal = rows_are_query(p, pair) ? end.j - end.i : end.i - end.j;

    list_pair(p.windowed, pair.index);
    p.window[pair.index] = start.window;
    p.bound_band[pair.index] = rscan_band_t{start.gaps - diagonal, start.gaps + diagonal};
}

/* Store matches and columns, or list the pair for a later round. */
__device__ inline void store_identity(const rscan_launch_t &p, const padded_pair_t &pair,
                                      const end_t &e)
{
    const int reach = reach_of(e);
    const tie_end_t end = e.place < 0 ? tie_end_t{reach - pair.n, pair.n, e.matches, 0}
                                      : tie_end_t{pair.m, reach - pair.m, e.matches, 0};
    tie_start_t start;
    const int columns = columns_at(p, e, ends_of(pair), end, &start);
    const bool sure = e.doubt == TIE_SURE && start.window == TIE_SURE;
    const bool none = !sure && is_too_short(p, pair, columns);

    if (none || sure) {
        p.matches[pair.index] = none ? 0 : e.matches;
        p.columns[pair.index] = none ? 0 : columns;
    } else if (e.doubt != TIE_SURE) {
        list_pair(p.doubtful, pair.index);
    } else {
        list_for_window(p, pair, end, start);
    }
}

/* Store the result of a pair, or list the pair for a later round. */
template <int KIND>
__device__ inline void store_result(const rscan_launch_t &p, const packed_pairs_t &packed,
                                    int which, const end_t &e)
{
    const padded_pair_t &pair = packed.pairs[which];
    const bool is_first = p.variant.round == RSCAN_ROUND_FIRST;
    const bool guarded = p.variant.bands == RSCAN_BANDS_GUARDED;
    const int score = static_cast<int>(e.rank - p.layout.gap_cost * (pair.m + pair.n));
    bool certain = true;

    if (p.variant.round == RSCAN_ROUND_BOUND) {
        p.bound[pair.index] = score;
        p.bound_band[pair.index] =
            is_unbanded(packed)
                ? rscan_band_t{0, 0}
                : rscan_band_t{packed.low - pair.row_pads + pair.column_pads,
                               packed.high - pair.column_pads + pair.row_pads};
        return;
    }
    if (is_first && guarded && p.banded[pair.index] != 0) {
        const bool proved = score >= p.bound[pair.index];

        band_choice_note(p.outcomes, pair.index, p.banded[pair.index], proved);
        if (!proved)
            p.banded[pair.index] = 0;
        certain = proved || is_unbanded(packed);
    } else if (is_first && !guarded && !is_unbanded(packed)) {
        certain = certified(p, packed, pair, e);
    }
    p.score[pair.index] = score; /* a later round may choose its band by it */
    if (!certain)
        list_pair(p.retry, pair.index);
    else if (KIND != RSCAN_SCORE2 && p.variant.identity)
        store_identity(p, pair, e);
}

/* Store the results of all pairs of the thread.  Counted ends: they end in its last cell.
 */
template <int KIND, int ROWS>
__device__ void store_results(const rscan_launch_t &p, const packed_pairs_t &packed,
                              thread_state_t<KIND, ROWS> &s, int n_pairs)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;

    if (!p.layout.columns_free) {
        const typename kind_t<KIND>::word last = s.left[ROWS - 1];

        s.best2 = static_cast<unsigned>(last);
        if (PAIRS == 1)
            offer(p, last, packed.pairs[0].m + packed.pairs[0].n, false,
                  ends_of(packed.pairs[0]), &s.best);
    }
    if constexpr (KIND == RSCAN_SCORE2) {
        for (int i = 0; i < PAIRS && i < n_pairs; i++)
            store_result<KIND>(p, packed, i,
                               end_t{static_cast<long long>(s.best2 >> (16 * i) &
                                                            0xffff) *
                                         p.layout.unit,
                                     0, 0, 0, TIE_SURE});
    } else {
        store_result<KIND>(p, packed, 0, s.best);
    }
}

} // namespace
