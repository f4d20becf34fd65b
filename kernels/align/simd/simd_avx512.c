/*
 * simd_avx512.c - the sweeps for AVX-512 (F, BW, VL, DQ).
 */
#include "kernels/align/simd/simd_local_sweep.h"
#include "kernels/align/simd/simd_sweep.h"

#include <immintrin.h>
#include <string.h>

/* Limited by the number of registers. */
#define SIMD_SWEEP_ROWS 8

#define LOAD_128(p)    _mm_loadu_si128((const __m128i *)(p))
#define LOAD_256(p)    _mm256_loadu_si256((const __m256i *)(p))
#define LOAD_64(p)     _mm_loadl_epi64((const __m128i *)(p))
#define V_STORE_(p, v) _mm512_store_si512(p, v)

#define NAME                     sweep8
#define LANES                    64
#define VEC                      __m512i
#define V_LOAD(p)                _mm512_load_si512(p)
#define V_STORE(p, v)            _mm512_store_si512(p, v)
#define V_SET1(x)                _mm512_set1_epi8((char)(x))
#define V_SUB(a, b)              _mm512_sub_epi8(a, b)
#define V_ADD(a, b)              _mm512_add_epi8(a, b)
#define V_AND(a, b)              _mm512_and_si512(a, b)
#define V_ANDNOT(a, b)           _mm512_andnot_si512(a, b)
#define V_SUB_TO_0(a, b)         _mm512_subs_epu8(a, b)
#define V_MAX(a, b)              _mm512_max_epu8(a, b)
#define V_STEPS(match, mismatch) _mm512_set1_epi8((char)(match))
#define V_ROW(q)                 _mm512_andnot_si512(_mm512_set1_epi8((char)SIMD_PAD), q)
#define V_LIVE(q, x) \
    _mm512_mask_mov_epi8(x, _mm512_movepi8_mask(q), _mm512_setzero_si512())
#define V_STEP(q, floor, t, steps) \
    _mm512_mask_blend_epi8(_mm512_test_epi8_mask(q, t), floor, steps)
/* A match gives A, which nothing exceeds: the second maximum replaces a blend. */
#define V_BEST(q, floor, t, steps, above, left)               \
    _mm512_mask_max_epu8(steps, _mm512_testn_epi8_mask(q, t), \
                         _mm512_max_epu8(left, floor), above)
#define LANES_AGAIN
#include "kernels/align/simd/simd_diff_body.h"

/* The steps of a row's base, by code: of those below 16, and of the others. */
typedef struct {
    __m512i low, high;
} profile_t;

static inline profile_t profile_at(const uint8_t *profile, const uint8_t *row)
{
    const uint8_t *steps = profile + *row * ALPHABET_SIZE;

    return (profile_t){_mm512_broadcast_i32x4(LOAD_128(steps)),
                       _mm512_broadcast_i32x4(LOAD_128(steps + 16))};
}

/* The steps of a profile at codes. */
#define PROFILE_STEP(q, t)                                                             \
    _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8((q).low, t),                          \
                             _mm512_test_epi8_mask(t, _mm512_set1_epi8(16)), (q).high, \
                             t)

#define NAME                       sweep8_profile
#define V_ROW_T                    profile_t
#define V_ROW_AT(g, p)             profile_at((g)->profile, p)
#define V_STEPS(match, mismatch)   V_SET1(0)
#define V_STEP(q, floor, t, steps) PROFILE_STEP(q, t)
#define LANES_AGAIN
#include "kernels/align/simd/simd_diff_body.h"

#define NAME                       sweep8_neutral
#define V_ROW_T                    VEC
#define V_ROW_AT(g, p)             V_LOAD(p)
#define V_STEPS(match, mismatch)   V_SET1(0)
#define V_TABLE(p)                 _mm512_broadcast_i32x4(LOAD_128(p))
#define V_STEP(q, floor, t, steps) _mm512_shuffle_epi8(steps, _mm512_and_si512(q, t))
#include "kernels/align/simd/simd_diff_body.h"

/* Two steps are chosen faster by a mask than looked up. */
static void sweep8_any_affine(const simd_group_t *g, cell_end_t *best)
{
    (g->spec->scoring.two_valued ? sweep8_affine : sweep8_neutral_affine)(g, best);
}

#define NAME                             local8_profile
#define LANE                             int8_t
#define LANES                            64
#define VEC                              __m512i
#define V_LOAD(p)                        _mm512_load_si512(p)
#define V_STORE(p, v)                    V_STORE_(p, v)
#define V_SET1(x)                        _mm512_set1_epi8((char)(x))
#define V_ADD(a, b)                      _mm512_adds_epi8(a, b)
#define V_SETS(p)                        V_LOAD(p)
#define V_ROW_T                          profile_t
#define V_ROW_AT(g, p)                   profile_at((g)->profile, p)
#define V_STEP(g, q, t, match, mismatch) PROFILE_STEP(q, t)
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      _mm512_max_epi8(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_ADD(cell, (run)->open)
#define V_REACHES(a, b)                  (_mm512_cmpge_epi8_mask(a, b) != 0)
#include "kernels/align/simd/simd_local_body.h"

#define NAME           local16_profile
#define LANE           int16_t
#define LANES          32
#define VEC            __m512i
#define V_LOAD(p)      _mm512_load_si512(p)
#define V_STORE(p, v)  V_STORE_(p, v)
#define V_SET1(x)      _mm512_set1_epi16((short)(x))
#define V_ADD(a, b)    _mm512_adds_epi16(a, b)
#define V_SETS(p)      _mm512_cvtepu8_epi16(LOAD_256(p))
#define V_ROW_T        profile_t
#define V_ROW_AT(g, p) profile_at((g)->profile, p)
#define V_STEP(g, q, t, match, mismatch) \
    _mm512_srai_epi16(_mm512_slli_epi16(PROFILE_STEP(q, t), 8), 8)
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      _mm512_max_epi16(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_ADD(cell, (run)->open)
#define V_REACHES(a, b)                  (_mm512_cmpge_epi16_mask(a, b) != 0)
#include "kernels/align/simd/simd_local_body.h"

#define NAME          local16
#define LANE          uint16_t
#define LANES         32
#define VEC           __m512i
#define V_LOAD(p)     _mm512_load_si512(p)
#define V_STORE(p, v) V_STORE_(p, v)
#define V_SET1(x)     _mm512_set1_epi16((short)(x))
#define V_ADD(a, b)   _mm512_add_epi16(a, b)
#define V_AND(a, b)   _mm512_and_si512(a, b)
#define V_MAX(a, b)   _mm512_max_epu16(a, b)
#define V_SETS(p)     _mm512_cvtepu8_epi16(LOAD_256(p))
#define V_STEP(g, q, t, match, mismatch) \
    _mm512_mask_blend_epi16(_mm512_test_epi16_mask(q, t), mismatch, match)
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      _mm512_max_epi16(a, b)
#define OPENING(x)                       -(x)
#define V_OPENED(run, cell)              _mm512_subs_epu16(cell, (run)->open)
#define V_REACHES(a, b)                  (_mm512_cmpge_epi16_mask(a, b) != 0)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep16
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME          local32
#define LANE          uint32_t
#define LANES         16
#define VEC           __m512i
#define V_LOAD(p)     _mm512_load_si512(p)
#define V_STORE(p, v) V_STORE_(p, v)
#define V_SET1(x)     _mm512_set1_epi32((int)(x))
#define V_ADD(a, b)   _mm512_add_epi32(a, b)
#define V_AND(a, b)   _mm512_and_si512(a, b)
#define V_MAX(a, b)   _mm512_max_epu32(a, b)
#define V_SETS(p)     _mm512_cvtepu8_epi32(LOAD_128(p))
#define V_STEP(g, q, t, match, mismatch) \
    _mm512_mask_blend_epi32(_mm512_test_epi32_mask(q, t), mismatch, match)
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      V_MAX(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_TOP(V_ADD(cell, (run)->open), (run)->floor)
#define V_REACHES(a, b)                  (_mm512_cmpge_epu32_mask(a, b) != 0)
#define V_EQUAL(a, b)                    _mm512_cmpeq_epi32_mask(a, b)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep32
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

#define MEET(q, t, yes, no) _mm512_mask_blend_epi32(_mm512_test_epi32_mask(q, t), no, yes)

#define NEUTRAL(g, is_match) _mm512_set1_epi32((int)(g)->layout->step_neutral[is_match])
#define NAME                 sweep32_neutral
#define V_STEP(g, q, t, match, mismatch)                                               \
    _mm512_mask_blend_epi32(_mm512_cmplt_epu32_mask(_mm512_or_si512(q, t),             \
                                                    _mm512_set1_epi32(SIMD_ROW_CODE)), \
                            MEET(q, t, NEUTRAL(g, 1), NEUTRAL(g, 0)),                  \
                            MEET(q, t, match, mismatch))
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

/* Codes of rows are multiplied by ALPHABET_SIZE: the OR of both indexes the table. */
#define NAME      local32_table
#define V_ROWS(p) _mm512_slli_epi32(V_SETS(p), 5)
#define V_STEP(g, q, t, match, mismatch) \
    _mm512_i32gather_epi32(_mm512_or_si512(q, t), (g)->table32, 4)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep32_table
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME          local64
#define LANE          int64_t
#define LANES         8
#define VEC           __m512i
#define V_LOAD(p)     _mm512_load_si512(p)
#define V_STORE(p, v) V_STORE_(p, v)
#define V_SET1(x)     _mm512_set1_epi64(x)
#define V_ADD(a, b)   _mm512_add_epi64(a, b)
#define V_AND(a, b)   _mm512_and_si512(a, b)
#define V_MAX(a, b)   _mm512_max_epi64(a, b)
#define V_SETS(p)     _mm512_cvtepu8_epi64(LOAD_64(p))
#define V_STEP(g, q, t, match, mismatch) \
    _mm512_mask_blend_epi64(_mm512_test_epi64_mask(q, t), mismatch, match)
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      _mm512_max_epi64(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_TOP(V_ADD(cell, (run)->open), (run)->floor)
#define V_REACHES(a, b)                  (_mm512_cmpge_epi64_mask(a, b) != 0)
#define V_EQUAL(a, b)                    _mm512_cmpeq_epi64_mask(a, b)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep64
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME      local64_table
#define V_ROWS(p) _mm512_slli_epi64(V_SETS(p), 5)
#define V_STEP(g, q, t, match, mismatch) \
    _mm512_i64gather_epi64(_mm512_or_si512(q, t), (g)->table64, 8)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep64_table
#include "kernels/align/simd/simd_sweep_body.h"

typedef uint64_t words_t __attribute__((vector_size(64)));
typedef uint8_t few_t __attribute__((vector_size(8)));

#define NAME               sweep_bits
#define LANES              8
#define VEC                words_t
#define BYTES              few_t
#define V_SHIFT_IN(x, low) ((x) << 1 | (low) >> 63)
#include "kernels/align/simd/simd_bits_body.h"

const simd_sweep_t simd_sweeps_avx512[SWEEPS] = {
    {1, 64, sweep8, sweep8_any_affine, false},
    {2, 32, sweep16, sweep16_affine, false},
    {4, 16, sweep32, sweep32_affine, false},
    {8, 8, sweep64, sweep64_affine, false},
    {4, 16, sweep32_table, sweep32_table_affine, false},
    {8, 8, sweep64_table, sweep64_table_affine, false},
    {4, 16, sweep32_neutral, sweep32_neutral_affine, false},
    {8, 8, sweep_bits, NULL, false},
    {1, 64, NULL, sweep8_profile_affine, false}};

const local_sweep_fn_t simd_local_sweeps_avx512[LOCAL_SWEEPS] = {
    {2, 32, local16, false},        {4, 16, local32, false},
    {8, 8, local64, false},         {4, 16, local32_table, false},
    {8, 8, local64_table, false},   {1, 64, local8_profile, false},
    {2, 32, local16_profile, false}};
