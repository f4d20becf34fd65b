#include "kernels/align/edits/edit_filter_sweep.h"

bool edit_filter_sweep_last_column(const edit_filter_bound_t *bound, const uint64_t *top,
                                   int stride, int less, int32_t m, int32_t n,
                                   int64_t edits)
{
    int32_t least = edit_filter_bound_min_end(bound, m < n ? m : n);

    for (int32_t i = 0; i < m; i += EDIT_FILTER_ROWS, top += stride) {
        int32_t rows = m - i < EDIT_FILTER_ROWS ? m - i : EDIT_FILTER_ROWS;
        uint64_t mask = ~UINT64_C(0) >> (EDIT_FILTER_ROWS - rows);
        uint64_t p = top[0] & mask, q = top[less] & mask;
        int32_t last = i + rows < n ? i + rows : n; /* allows most */

        if (last >= least && edits - __builtin_popcountll(q) <= bound->most[last]) {
            int64_t at = edits;

            for (int32_t k = 0; k < rows; k++) {
                int32_t letters = i + k + 1 < n ? i + k + 1 : n;

                at += (int64_t)(p >> k & 1) - (int64_t)(q >> k & 1);
                if (letters >= least && at <= bound->most[letters])
                    return true;
            }
        }
        edits += __builtin_popcountll(p) - __builtin_popcountll(q);
    }
    return false;
}

const edit_filter_sweep_t *edit_filter_sweep_of(simd_level_t level)
{
#if defined(__x86_64__)
    if (level >= SIMD_AVX512)
        return &edit_filter_sweep_avx512;
    if (level >= SIMD_AVX2)
        return &edit_filter_sweep_avx2;
#else
    (void)level;
#endif
    return &edit_filter_sweep_128;
}
