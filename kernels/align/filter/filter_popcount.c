/*
 * filter_popcount.c - popcounts in plain C, and the choice of the function for a CPU.
 */
#include "kernels/align/filter/filter_backend.h"

static void popcount_plain(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                           int32_t *shared)
{
    for (int i = 0; i < rows.n; i++)
        for (int j = 0; j < cols.n; j++) {
            const uint64_t *a = rows.at + i * rows.stride, *b = cols.at + j * cols.stride;
            int n = 0;

            for (int k = 0; k < n_words; k++)
                n += __builtin_popcountll(a[k] & b[k]);
            shared[(int64_t)i * cols.n + j] = n;
        }
}

filter_popcount_t filter_popcount_of(simd_level_t level)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (level >= SIMD_AVX512 && __builtin_cpu_supports("avx512vpopcntdq"))
        return filter_popcount_avx512;
    if (level >= SIMD_AVX2)
        return filter_popcount_avx2;
#else
    (void)level;
#endif
    return popcount_plain;
}
