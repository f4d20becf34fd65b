/*
 * filter_popcount_avx2.c - AVX2: carry-save adders reduce eight vectors to one of eights
 * and remainders, whose bits are counted by a table of half bytes (Mula, Kurz, Lemire
 * 2018).
 */
#include "kernels/align/filter/filter_backend.h"

#include <immintrin.h>

enum { LANE_WORDS = 4, STEP = 32 };

static inline __m256i bits_of(__m256i x)
{
    const __m256i table =
        _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2,
                         2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    __m256i sum = _mm256_add_epi8(
        _mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));

    return _mm256_sad_epu8(sum, _mm256_setzero_si256());
}

/* Add three vectors bit by bit: a + b + c = 2 x *twice + the returned vector. */
static inline __m256i add_bits(__m256i a, __m256i b, __m256i c, __m256i *twice)
{
    __m256i both = _mm256_and_si256(a, b), either = _mm256_xor_si256(a, b);

    *twice = _mm256_or_si256(both, _mm256_and_si256(either, c));
    return _mm256_xor_si256(either, c);
}

static inline __m256i shared_at(const uint64_t *a, const uint64_t *b, int k)
{
    return _mm256_and_si256(_mm256_load_si256((const __m256i *)(a + k * LANE_WORDS)),
                            _mm256_load_si256((const __m256i *)(b + k * LANE_WORDS)));
}

static inline int32_t sum_of(__m256i x)
{
    const __m128i half =
        _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));

    return (int32_t)(_mm_cvtsi128_si64(half) + _mm_extract_epi64(half, 1));
}

static int32_t count_one(const uint64_t *a, const uint64_t *b, int n_words)
{
    __m256i ones = _mm256_setzero_si256(), twos = ones, fours = ones, eights = ones;
    __m256i two[2], four[2], eight, sum;
    int k = 0;

    for (; k + STEP <= n_words; k += STEP) {
        const uint64_t *x = a + k, *y = b + k;

        ones = add_bits(ones, shared_at(x, y, 0), shared_at(x, y, 1), &two[0]);
        ones = add_bits(ones, shared_at(x, y, 2), shared_at(x, y, 3), &two[1]);
        twos = add_bits(twos, two[0], two[1], &four[0]);
        ones = add_bits(ones, shared_at(x, y, 4), shared_at(x, y, 5), &two[0]);
        ones = add_bits(ones, shared_at(x, y, 6), shared_at(x, y, 7), &two[1]);
        twos = add_bits(twos, two[0], two[1], &four[1]);
        fours = add_bits(fours, four[0], four[1], &eight);
        eights = _mm256_add_epi64(eights, bits_of(eight));
    }
    sum = bits_of(ones);
    for (; k < n_words; k += LANE_WORDS)
        sum = _mm256_add_epi64(sum, bits_of(shared_at(a + k, b + k, 0)));
    sum = _mm256_add_epi64(sum, _mm256_slli_epi64(bits_of(twos), 1));
    sum = _mm256_add_epi64(sum, _mm256_slli_epi64(bits_of(fours), 2));
    return sum_of(_mm256_add_epi64(sum, _mm256_slli_epi64(eights, 3)));
}

void filter_popcount_avx2(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                          int32_t *shared)
{
    for (int i = 0; i < rows.n; i++)
        for (int j = 0; j < cols.n; j++)
            shared[(int64_t)i * cols.n + j] =
                count_one(rows.at + i * rows.stride, cols.at + j * cols.stride, n_words);
}
