/*
 * nbc_rows_body.h - the functions of nbc_rows.h, included once per vector level.
 *
 * The including file defines V_BYTES, the size of a vector.  Gains are added up in 16
 * bits as long as they fit, then in 32 bits.
 */
#include "kernels/classify/simd/nbc_rows.h"

#include <stdbool.h>
#include <string.h>
#if V_BYTES > 16
#include <immintrin.h>
#endif

#define INLINE inline __attribute__((always_inline))

typedef uint16_t narrow_t __attribute__((vector_size(V_BYTES)));
typedef uint16_t few_t __attribute__((vector_size(V_BYTES / 2)));
typedef int32_t wide_t __attribute__((vector_size(V_BYTES)));

enum { N_NARROW = NBC_ROW_BYTES / V_BYTES, N_WIDE = 2 * N_NARROW };

/* Add up rows in 16 bits, and the result to sums. */
static INLINE void add_narrow(const uint16_t *rows, const uint16_t *picks, int32_t n,
                              bool is_far, wide_t *sums)
{
    narrow_t sum[N_NARROW] = {0};

    for (int32_t k = 0; k < n; k++) {
        const narrow_t *row = (const narrow_t *)(rows + (size_t)picks[k] * NBC_BLOCK);

        if (is_far)
            nbc_rows_prefetch(rows, picks, k, n);
#pragma GCC unroll 8
        for (int v = 0; v < N_NARROW; v++)
            sum[v] += row[v];
    }
#pragma GCC unroll 8
    for (int v = 0; v < N_NARROW; v++) {
        few_t few[2];

        memcpy(few, &sum[v], sizeof(few));
        sums[2 * v] += __builtin_convertvector(few[0], wide_t);
        sums[2 * v + 1] += __builtin_convertvector(few[1], wide_t);
    }
}

static INLINE void add_wide(const uint16_t *rows, const uint16_t *picks, int32_t n,
                            int32_t n_safe, bool is_far, wide_t *sums)
{
    for (int v = 0; v < N_WIDE; v++)
        sums[v] = (wide_t){0};
    for (; n > n_safe; n -= n_safe, picks += n_safe)
        add_narrow(rows, picks, n_safe, is_far, sums);
    add_narrow(rows, picks, n, is_far, sums);
}

static void add(const uint16_t *rows, const uint16_t *picks, int32_t n, int32_t n_safe,
                int32_t *out)
{
    wide_t sums[N_WIDE];

    add_wide(rows, picks, n, n_safe, true, sums);
    memcpy(out, sums, sizeof(sums));
}

static inline bool any_less(wide_t costs, int32_t bound)
{
#if V_BYTES == 64
    return _mm512_cmplt_epi32_mask((__m512i)costs, _mm512_set1_epi32(bound)) != 0;
#elif V_BYTES == 32
    return _mm256_movemask_epi8(
               _mm256_cmpgt_epi32(_mm256_set1_epi32(bound), (__m256i)costs)) != 0;
#else
    const wide_t less = costs < bound;
    uint64_t bits[2];

    memcpy(bits, &less, sizeof(bits));
    return (bits[0] | bits[1]) != 0;
#endif
}

static inline wide_t lesser(wide_t a, wide_t b)
{
#if V_BYTES == 64
    return (wide_t)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif V_BYTES == 32
    return (wide_t)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    const wide_t less = a < b;

    return (a & less) | (b & ~less);
#endif
}

/* Find the best class of a block, which costs less than the best so far. */
static __attribute__((noinline)) void improve(const nbc_resamples_t *t, int r,
                                              const int32_t *costs)
{
    for (int32_t c = 0; c < NBC_BLOCK; c++)
        if (costs[c] < t->best_cost[r]) {
            t->best_cost[r] = costs[c];
            t->best_class[r] = t->first_class + c;
        }
}

/* Request the rows needed next, a part of them per resample. */
static INLINE void request_next(const nbc_resamples_t *t, int r)
{
    const int32_t end = (int32_t)((int64_t)t->n_next * (r + 1) / t->n_resamples);

    for (int32_t k = (int32_t)((int64_t)t->n_next * r / t->n_resamples); k < end; k++) {
        const uint16_t *row = t->next_rows + (size_t)t->next_picks[k] * NBC_BLOCK;

        __builtin_prefetch(row, 0, 2);
        __builtin_prefetch(row + NBC_BLOCK / 2, 0, 2);
    }
}

static void resample(const nbc_resamples_t *t)
{
    const wide_t *class_cost = (const wide_t *)t->class_cost;

    for (int r = 0; r < t->n_resamples; r++) {
        wide_t sums[N_WIDE], min;

        request_next(t, r);
        add_wide(t->rows, t->draws + (size_t)r * (size_t)t->n_draws, t->n_draws,
                 t->n_safe, false, sums);
#pragma GCC unroll 16
        for (int v = 0; v < N_WIDE; v++)
            sums[v] = class_cost[v] - sums[v];
        min = sums[0];
#pragma GCC unroll 16
        for (int v = 1; v < N_WIDE; v++)
            min = lesser(min, sums[v]);
        if (any_less(min, t->best_cost[r])) {
            int32_t costs[NBC_BLOCK];

            memcpy(costs, sums, sizeof(costs));
            improve(t, r, costs);
        }
    }
}
