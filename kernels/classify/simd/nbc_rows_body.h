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
typedef uint16_t group_t __attribute__((vector_size(NBC_GROUP * 2)));
typedef int32_t wide_t __attribute__((vector_size(V_BYTES)));

/* A block is added up as fast as GROUPS_OF_BLOCK groups. */
enum { GROUPS_OF_BLOCK = 3 };
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

/* @return a bit per lane whose cost is at most the limit */
static inline uint64_t lanes_within(wide_t costs, int32_t limit)
{
#if V_BYTES == 64
    return _mm512_cmple_epi32_mask((__m512i)costs, _mm512_set1_epi32(limit));
#elif V_BYTES == 32
    const __m256i above = _mm256_cmpgt_epi32((__m256i)costs, _mm256_set1_epi32(limit));

    return ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(above)) & 0xff;
#else
    uint64_t bits = 0;

    for (int k = 0; k < V_BYTES / 4; k++)
        bits |= (uint64_t)(costs[k] <= limit) << k;
    return bits;
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

/* Find the best of n classes, from `first` of the block on. */
static __attribute__((noinline)) void improve(const nbc_resamples_t *t, int r,
                                              const int32_t *costs, int first, int n)
{
    for (int c = 0; c < n; c++) {
        const int32_t number = t->first_class + first + c;

        if (costs[c] < t->best_cost[r] ||
            (costs[c] == t->best_cost[r] && number < t->best_class[r])) {
            t->best_cost[r] = costs[c];
            t->best_class[r] = number;
        }
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

/* Compute the costs of a block's classes. */
static INLINE void block_costs(const nbc_resamples_t *t, int r, wide_t *costs)
{
    const wide_t *class_cost = (const wide_t *)t->class_cost;

    add_wide(t->rows, t->draws + (size_t)r * (size_t)t->n_draws, t->n_draws, t->n_safe,
             false, costs);
#pragma GCC unroll 16
    for (int v = 0; v < N_WIDE; v++)
        costs[v] = class_cost[v] - costs[v];
}

static INLINE void try_block(const nbc_resamples_t *t, int r)
{
    wide_t costs[N_WIDE], min;

    block_costs(t, r, costs);
    min = costs[0];
#pragma GCC unroll 16
    for (int v = 1; v < N_WIDE; v++)
        min = lesser(min, costs[v]);
    if (lanes_within(min, t->best_cost[r]) != 0) {
        int32_t of_classes[NBC_BLOCK];

        memcpy(of_classes, costs, sizeof(of_classes));
        improve(t, r, of_classes, 0, NBC_BLOCK);
    }
}

static INLINE void try_group(const nbc_resamples_t *t, int r, int group)
{
    const uint16_t *rows = t->rows + group * NBC_GROUP,
                   *draws = t->draws + (size_t)r * (size_t)t->n_draws;
    int32_t costs[NBC_GROUP], min;

    memcpy(costs, t->class_cost + group * NBC_GROUP, sizeof(costs));
    for (int32_t k = 0; k < t->n_draws;) {
        const int32_t end = t->n_draws - k > t->n_safe ? k + t->n_safe : t->n_draws;
        group_t sum = {0};

        for (; k < end; k++)
            sum += *(const group_t *)(rows + (size_t)draws[k] * NBC_BLOCK);
        for (int c = 0; c < NBC_GROUP; c++)
            costs[c] -= sum[c];
    }
    min = costs[0];
    for (int c = 1; c < NBC_GROUP; c++)
        min = costs[c] < min ? costs[c] : min;
    if (min <= t->best_cost[r])
        improve(t, r, costs, group * NBC_GROUP, NBC_GROUP);
}

static void resample(const nbc_resamples_t *t)
{
    for (int r = 0; r < t->n_resamples; r++) {
        uint64_t groups = t->masks[r] >> t->shift & ((1u << NBC_GROUPS) - 1);

        request_next(t, r);
        if (__builtin_popcountll(groups) >= GROUPS_OF_BLOCK) {
            try_block(t, r);
            continue;
        }
        for (; groups != 0; groups &= groups - 1)
            try_group(t, r, __builtin_ctzll(groups));
    }
}

static void bound(const nbc_resamples_t *t)
{
    for (int r = 0; r < t->n_resamples; r++) {
        wide_t costs[N_WIDE];
        uint64_t mask = 0;

        block_costs(t, r, costs);
#pragma GCC unroll 16
        for (int v = 0; v < N_WIDE; v++)
            mask |= lanes_within(costs[v], t->best_cost[r]) << v * (V_BYTES / 4);
        t->masks[r] = mask;
    }
}
