/*
 * filter_popcount_avx512.c - AVX-512 with VPOPCNTDQ: four rows at a time, so that a
 * column's words are loaded once for all four.
 */
#include "kernels/align/filter/filter_backend.h"

#include <immintrin.h>

enum { ROWS = 4, STEP = 8 };

static inline __m512i shared_of(const uint64_t *a, __m512i b)
{
    return _mm512_popcnt_epi64(_mm512_and_si512(_mm512_load_si512(a), b));
}

static void count_four(const uint64_t *rows, int64_t stride, const uint64_t *col,
                       int n_words, int32_t *shared, int64_t shared_stride)
{
    __m512i sum[ROWS];

    for (int i = 0; i < ROWS; i++)
        sum[i] = _mm512_setzero_si512();
    for (int k = 0; k < n_words; k += STEP) {
        __m512i b = _mm512_load_si512(col + k);

        for (int i = 0; i < ROWS; i++)
            sum[i] = _mm512_add_epi64(sum[i], shared_of(rows + i * stride + k, b));
    }
    for (int i = 0; i < ROWS; i++)
        shared[i * shared_stride] = (int32_t)_mm512_reduce_add_epi64(sum[i]);
}

static int32_t count_one(const uint64_t *row, const uint64_t *col, int n_words)
{
    __m512i sum = _mm512_setzero_si512();

    for (int k = 0; k < n_words; k += STEP)
        sum = _mm512_add_epi64(sum, shared_of(row + k, _mm512_load_si512(col + k)));
    return (int32_t)_mm512_reduce_add_epi64(sum);
}

void filter_popcount_avx512(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                            int32_t *shared)
{
    int i = 0;

    for (; i + ROWS <= rows.n; i += ROWS)
        for (int j = 0; j < cols.n; j++)
            count_four(rows.at + i * rows.stride, rows.stride, cols.at + j * cols.stride,
                       n_words, shared + (int64_t)i * cols.n + j, cols.n);
    for (; i < rows.n; i++)
        for (int j = 0; j < cols.n; j++)
            shared[(int64_t)i * cols.n + j] =
                count_one(rows.at + i * rows.stride, cols.at + j * cols.stride, n_words);
}
