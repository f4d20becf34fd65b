/*
 * edit_filter_last_column.c - walks down a column of bits; blocks that cannot have an end
 * within the bound are skipped.
 */
#include "kernels/align/edits/edit_filter_sweep.h"

bool edit_filter_last_column(const edit_filter_bound_t *bound,
                             edit_filter_column_t column, int32_t m, int32_t n,
                             int64_t edits)
{
    int32_t min_end = edit_filter_bound_min_end(bound, m < n ? m : n);
    const uint64_t *word = column.more;

    for (int32_t i = 0; i < m; i += EDIT_FILTER_ROWS, word += column.stride) {
        int32_t rows = m - i < EDIT_FILTER_ROWS ? m - i : EDIT_FILTER_ROWS;
        uint64_t mask = ~UINT64_C(0) >> (EDIT_FILTER_ROWS - rows);
        uint64_t more = word[0] & mask, less = word[column.less] & mask;
        int32_t last = i + rows < n ? i + rows : n; /* its bound is the block's highest */

        if (last >= min_end &&
            edits - __builtin_popcountll(less) <= bound->max_edits[last]) {
            int64_t here = edits;

            for (int32_t k = 0; k < rows; k++) {
                int32_t end = i + k + 1 < n ? i + k + 1 : n;

                here += (int64_t)(more >> k & 1) - (int64_t)(less >> k & 1);
                if (end >= min_end && here <= bound->max_edits[end])
                    return true;
            }
        }
        edits += __builtin_popcountll(more) - __builtin_popcountll(less);
    }
    return false;
}
