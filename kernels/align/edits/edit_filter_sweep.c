/*
 * edit_filter_sweep.c - chooses the sweep for a CPU.
 */
#include "kernels/align/edits/edit_filter_sweep.h"

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
