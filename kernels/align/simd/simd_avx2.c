/*
 * simd_avx2.c - the sweeps for AVX2.
 */
#include "kernels/align/simd/simd_local_sweep.h"
#include "kernels/align/simd/simd_sweep.h"

#include <immintrin.h>
#include <string.h>

#define LOAD_128(p) _mm_loadu_si128((const __m128i *)(p))
#define LOAD_64(p)  _mm_loadl_epi64((const __m128i *)(p))
/* Per lane, match where the bases are equal. */
#define EQUAL(equal, q, t, match, mismatch) \
    _mm256_blendv_epi8(mismatch, match, equal(q, t))
#define ANY(mask) (_mm256_movemask_epi8(mask) != 0)
/* A bit per lane of 32 bits. */
#define BITS(mask) _mm256_movemask_ps(_mm256_castsi256_ps(mask))
/* Whether a >= b in any lane. */
#define REACHES(above, a, b) (_mm256_movemask_epi8(above(b, a)) != -1)
/* Per lane, mismatch where the sets' intersection is empty. */
#define MEET(equal, q, t, match, mismatch) \
    _mm256_blendv_epi8(match, mismatch,    \
                       equal(_mm256_and_si256(q, t), _mm256_setzero_si256()))

#define NAME             sweep8
#define LANES            32
#define VEC              __m256i
#define V_LOAD(p)        _mm256_load_si256((const __m256i *)(p))
#define V_STORE(p, v)    _mm256_store_si256((__m256i *)(p), v)
#define V_SET1(x)        _mm256_set1_epi8((char)(x))
#define V_SUB(a, b)      _mm256_sub_epi8(a, b)
#define V_ADD(a, b)      _mm256_add_epi8(a, b)
#define V_AND(a, b)      _mm256_and_si256(a, b)
#define V_ANDNOT(a, b)   _mm256_andnot_si256(a, b)
#define V_SUB_TO_0(a, b) _mm256_subs_epu8(a, b)
#define V_MAX(a, b)      _mm256_max_epu8(a, b)
#define V_STEPS(match, mismatch) \
    _mm256_broadcastsi128_si256( \
        _mm_insert_epi8(_mm_set1_epi8((char)(match)), (char)(mismatch), 0))
#define V_TABLE(p)                 _mm256_broadcastsi128_si256(LOAD_128(p))
#define V_ROW(q)                   (q)
#define V_LIVE(q, x)               _mm256_blendv_epi8(x, _mm256_setzero_si256(), q)
#define V_STEP(q, floor, t, steps) _mm256_shuffle_epi8(steps, _mm256_and_si256(q, t))
#define V_BEST(q, floor, t, steps, above, left) \
    V_MAX(V_MAX(V_STEP(q, floor, t, steps), left), above)
#define LANES_AGAIN
#include "kernels/align/simd/simd_diff_body.h"

/* The steps of a row's base, by code: of those below 16, and of the others. */
typedef struct {
    __m256i low, high;
} profile_t;

static inline profile_t profile_at(const uint8_t *profile, const uint8_t *row)
{
    const uint8_t *steps = profile + *row * ALPHABET_SIZE;

    return (profile_t){_mm256_broadcastsi128_si256(LOAD_128(steps)),
                       _mm256_broadcastsi128_si256(LOAD_128(steps + 16))};
}

/* The steps of a profile at codes. Bit 4 of a code, moved up by 3, is the sign bit. */
#define PROFILE_STEP(q, t)                              \
    _mm256_blendv_epi8(_mm256_shuffle_epi8((q).low, t), \
                       _mm256_shuffle_epi8((q).high, t), _mm256_slli_epi16(t, 3))

#define NAME                       sweep8_profile
#define V_ROW_T                    profile_t
#define V_ROW_AT(g, p)             profile_at((g)->profile, p)
#define V_STEPS(match, mismatch)   V_SET1(0)
#define V_STEP(q, floor, t, steps) PROFILE_STEP(q, t)
#include "kernels/align/simd/simd_diff_body.h"

#define NAME                             local8_profile
#define LANE                             int8_t
#define LANES                            32
#define VEC                              __m256i
#define V_LOAD(p)                        _mm256_load_si256((const __m256i *)(p))
#define V_STORE(p, v)                    _mm256_store_si256((__m256i *)(p), v)
#define V_SET1(x)                        _mm256_set1_epi8((char)(x))
#define V_ADD(a, b)                      _mm256_adds_epi8(a, b)
#define V_SETS(p)                        V_LOAD(p)
#define V_ROW_T                          profile_t
#define V_ROW_AT(g, p)                   profile_at((g)->profile, p)
#define V_STEP(g, q, t, match, mismatch) PROFILE_STEP(q, t)
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      _mm256_max_epi8(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_ADD(cell, (run)->open)
#define V_REACHES(a, b)                  REACHES(_mm256_cmpgt_epi8, a, b)
#include "kernels/align/simd/simd_local_body.h"

#define NAME           local16_profile
#define LANE           int16_t
#define LANES          16
#define VEC            __m256i
#define V_LOAD(p)      _mm256_load_si256((const __m256i *)(p))
#define V_STORE(p, v)  _mm256_store_si256((__m256i *)(p), v)
#define V_SET1(x)      _mm256_set1_epi16((short)(x))
#define V_ADD(a, b)    _mm256_adds_epi16(a, b)
#define V_SETS(p)      _mm256_cvtepu8_epi16(LOAD_128(p))
#define V_ROW_T        profile_t
#define V_ROW_AT(g, p) profile_at((g)->profile, p)
#define V_STEP(g, q, t, match, mismatch) \
    _mm256_srai_epi16(_mm256_slli_epi16(PROFILE_STEP(q, t), 8), 8)
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      _mm256_max_epi16(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_ADD(cell, (run)->open)
#define V_REACHES(a, b)                  REACHES(_mm256_cmpgt_epi16, a, b)
#include "kernels/align/simd/simd_local_body.h"

#define NAME                             local16
#define LANE                             uint16_t
#define LANES                            16
#define VEC                              __m256i
#define V_LOAD(p)                        _mm256_load_si256((const __m256i *)(p))
#define V_STORE(p, v)                    _mm256_store_si256((__m256i *)(p), v)
#define V_SET1(x)                        _mm256_set1_epi16((short)(x))
#define V_ADD(a, b)                      _mm256_add_epi16(a, b)
#define V_AND(a, b)                      _mm256_and_si256(a, b)
#define V_MAX(a, b)                      _mm256_max_epu16(a, b)
#define V_SETS(p)                        _mm256_cvtepu8_epi16(LOAD_128(p))
#define V_STEP(g, q, t, match, mismatch) MEET(_mm256_cmpeq_epi16, q, t, match, mismatch)
#define V_SAME(g, q, t, match, mismatch) EQUAL(_mm256_cmpeq_epi16, q, t, match, mismatch)
#define V_TOP(a, b)                      _mm256_max_epi16(a, b)
#define OPENING(x)                       -(x)
#define V_OPENED(run, cell)              _mm256_subs_epu16(cell, (run)->open)
#define V_REACHES(a, b)                  REACHES(_mm256_cmpgt_epi16, a, b)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep16
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME                             local32
#define LANE                             uint32_t
#define LANES                            8
#define VEC                              __m256i
#define V_LOAD(p)                        _mm256_load_si256((const __m256i *)(p))
#define V_STORE(p, v)                    _mm256_store_si256((__m256i *)(p), v)
#define V_SET1(x)                        _mm256_set1_epi32((int)(x))
#define V_ADD(a, b)                      _mm256_add_epi32(a, b)
#define V_AND(a, b)                      _mm256_and_si256(a, b)
#define V_MAX(a, b)                      _mm256_max_epu32(a, b)
#define V_SETS(p)                        _mm256_cvtepu8_epi32(LOAD_64(p))
#define V_STEP(g, q, t, match, mismatch) MEET(_mm256_cmpeq_epi32, q, t, match, mismatch)
#define V_SAME(g, q, t, match, mismatch) EQUAL(_mm256_cmpeq_epi32, q, t, match, mismatch)
#define V_TOP(a, b)                      V_MAX(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_TOP(V_ADD(cell, (run)->open), (run)->floor)
#define V_REACHES(a, b)                  ANY(_mm256_cmpeq_epi32(V_MAX(a, b), a))
#define V_EQUAL(a, b)                    BITS(_mm256_cmpeq_epi32(a, b))
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep32
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

/* The bytes of n rows at p, one lane's in each: that of row r is byte r. */
static inline __m256i pack_rows(const uint8_t *p, int n)
{
    __m256i packed = _mm256_setzero_si256();

    for (int r = 0; r < n; r++)
        packed = _mm256_or_si256(packed, _mm256_slli_epi32(V_SETS(p + r * LANES), 8 * r));
    return packed;
}

/* Steps by kinds of two bits: 0 is a match, 3 a mismatch; of align_scoring_t.neutral, 2
 * and 1 are columns with codes. */
static inline __m256i steps_by_kind(const cell_layout_t *f)
{
    return _mm256_broadcastsi128_si256(
        _mm_set_epi32((int)f->step_mismatch, (int)f->step_neutral[1],
                      (int)f->step_neutral[0], (int)f->step_match));
}

#define V_PACK(p, n)    pack_rows(p, n)
#define V_KIND_STEPS(f) steps_by_kind(f)
#define V_COLUMN(p)                                                             \
    _mm256_shuffle_epi8(V_SETS(p),                                              \
                        _mm256_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, \
                                         0x0c0c0c0c, 0x08080808, 0x04040404, 0))
#define V_KIND_STEP(kinds, r, steps)                                     \
    _mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(steps), \
                                             _mm256_srli_epi32(kinds, 8 * (r))))
#define DISJOINT(q, t) _mm256_cmpeq_epi8(_mm256_and_si256(q, t), _mm256_setzero_si256())

#define NEUTRAL(g, is_match) _mm256_set1_epi32((int)(g)->layout->step_neutral[is_match])
#define NAME                 sweep32_neutral
#define V_KINDS(q, t)                                                                    \
    _mm256_xor_si256(DISJOINT(q, t),                                                     \
                     _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_or_si256(q, t),           \
                                                        _mm256_set1_epi8(SIMD_ROW_CODE - \
                                                                         1)),            \
                                      _mm256_set1_epi8(2)))
#define V_STEP(g, q, t, match, mismatch)                                             \
    _mm256_blendv_epi8(MEET(_mm256_cmpeq_epi32, q, t, NEUTRAL(g, 1), NEUTRAL(g, 0)), \
                       MEET(_mm256_cmpeq_epi32, q, t, match, mismatch),              \
                       _mm256_cmpgt_epi32(_mm256_set1_epi32(SIMD_ROW_CODE),          \
                                          _mm256_or_si256(q, t)))
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

/* Codes of rows are multiplied by ALPHABET_SIZE: the OR of both indexes the table. */
#define NAME      local32_table
#define V_ROWS(p) _mm256_slli_epi32(V_SETS(p), 5)
#define V_STEP(g, q, t, match, mismatch) \
    _mm256_i32gather_epi32((g)->table32, _mm256_or_si256(q, t), 4)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep32_table
#include "kernels/align/simd/simd_sweep_body.h"

typedef uint64_t words_t __attribute__((vector_size(32)));
typedef uint8_t few_t __attribute__((vector_size(4)));

#define NAME               sweep_bits
#define LANES              4
#define VEC                words_t
#define BYTES              few_t
#define V_SHIFT_IN(x, low) ((x) << 1 | (low) >> 63)
#include "kernels/align/simd/simd_bits_body.h"

const simd_sweep_t simd_sweeps_avx2[SWEEPS] = {
    {1, 32, sweep8, sweep8_affine, false},
    {2, 16, sweep16, sweep16_affine, false},
    {4, 8, sweep32, sweep32_affine, false},
    {8, 4, simd_sweep_avx2_64, simd_sweep_avx2_64_affine, true},
    {4, 8, sweep32_table, sweep32_table_affine, false},
    {8, 4, simd_sweep_avx2_64_table, simd_sweep_avx2_64_table_affine, true},
    {4, 8, sweep32_neutral, sweep32_neutral_affine, false},
    {8, 4, sweep_bits, NULL, false},
    {1, 32, NULL, sweep8_profile_affine, false}};

const local_sweep_fn_t simd_local_sweeps_avx2[LOCAL_SWEEPS] = {
    {2, 16, local16, false},
    {4, 8, local32, false},
    {8, 4, simd_local_avx2_64, true},
    {4, 8, local32_table, false},
    {8, 4, simd_local_avx2_64_table, true},
    {1, 32, local8_profile, false},
    {2, 16, local16_profile, false}};
