/*
 * rscan_thread.cuh - what the kernels of rscan with one pair per thread have in common:
 * the rows that a thread holds, and the bases of its columns.
 */
#pragma once

#include "kernels/align/rscan/rscan_result.cuh"

namespace
{

template <int KIND> struct tuning_t;
template <> struct tuning_t<RSCAN_SCORE2> {
    static constexpr int ROWS = RSCAN_ROWS_SCORE2, BLOCKS = RSCAN_BLOCKS_SCORE2;
};
template <> struct tuning_t<RSCAN_KEY> {
    static constexpr int ROWS = RSCAN_ROWS_KEY, BLOCKS = RSCAN_BLOCKS_KEY;
};
template <> struct tuning_t<RSCAN_SETS> {
    static constexpr int ROWS = RSCAN_ROWS_SETS, BLOCKS = 4;
};

template <int KIND> using thread_t = thread_state_t<KIND, tuning_t<KIND>::ROWS>;

/* @return the table offsets of four columns, of both pairs
 * @tparam FRONT  whether there may be pads; they are in few columns, so that a branch is
 *                cheaper than masking them always */
template <int KIND, bool FRONT>
__device__ inline uint2 offsets_at(const columns_t &columns, int column)
{
    constexpr bool TWO = KIND == RSCAN_SCORE2;
    uint2 letters = {};

    if (FRONT && column < columns.max_pads) {
        letters.x = column_letters(columns, 0, column);
        if (TWO)
            letters.y = column_letters(columns, 1, column);
    } else {
        letters.x = *reinterpret_cast<const unsigned *>(columns.at[0] + column);
        if (TWO)
            letters.y = *reinterpret_cast<const unsigned *>(columns.at[1] + column);
    }
    return uint2{offsets_of<KIND>(letters.x), offsets_of<KIND>(letters.y)};
}

} // namespace
