/*
 * simd_avx2.c - the sweeps for AVX2.
 */
#include "kernels/align/simd_sweep.h"

#include <immintrin.h>

/* Per lane, mismatch where the sets' intersection is empty. */
#define V_LOAD_(p)     _mm256_load_si256((const __m256i *)(p))
#define V_STORE_(p, v) _mm256_store_si256((__m256i *)(p), v)
#define MEET(equal, both, match, mismatch) \
    _mm256_blendv_epi8(match, mismatch, equal(both, _mm256_setzero_si256()))

#define NAME          sweep16
#define LANE          int16_t
#define LANES         16
#define VEC           __m256i
#define V_LOAD(p)     V_LOAD_(p)
#define V_STORE(p, v) V_STORE_(p, v)
#define V_SET1(x)     _mm256_set1_epi16(x)
#define V_ADD(a, b)   _mm256_add_epi16(a, b)
#define V_MAX(a, b)   _mm256_max_epi16(a, b)
#define V_STEP(q, t, match, mismatch)                                                \
    MEET(_mm256_cmpeq_epi16,                                                         \
         _mm256_cvtepu8_epi16(_mm_and_si128(_mm_loadu_si128((const __m128i *)(q)),   \
                                            _mm_loadu_si128((const __m128i *)(t)))), \
         match, mismatch)
#include "kernels/align/simd_sweep_body.h"

#define NAME          sweep32
#define LANE          int32_t
#define LANES         8
#define VEC           __m256i
#define V_LOAD(p)     V_LOAD_(p)
#define V_STORE(p, v) V_STORE_(p, v)
#define V_SET1(x)     _mm256_set1_epi32(x)
#define V_ADD(a, b)   _mm256_add_epi32(a, b)
#define V_MAX(a, b)   _mm256_max_epi32(a, b)
#define V_STEP(q, t, match, mismatch)                                                \
    MEET(_mm256_cmpeq_epi32,                                                         \
         _mm256_cvtepu8_epi32(_mm_and_si128(_mm_loadl_epi64((const __m128i *)(q)),   \
                                            _mm_loadl_epi64((const __m128i *)(t)))), \
         match, mismatch)
#include "kernels/align/simd_sweep_body.h"

#define NAME          sweep64
#define LANE          int64_t
#define LANES         4
#define VEC           __m256i
#define V_LOAD(p)     V_LOAD_(p)
#define V_STORE(p, v) V_STORE_(p, v)
#define V_SET1(x)     _mm256_set1_epi64x(x)
#define V_ADD(a, b)   _mm256_add_epi64(a, b)
#define V_MAX(a, b)   _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(b, a))
#define V_STEP(q, t, match, mismatch)                                               \
    MEET(_mm256_cmpeq_epi64,                                                        \
         _mm256_cvtepu8_epi64(_mm_and_si128(_mm_loadu_si32(q), _mm_loadu_si32(t))), \
         match, mismatch)
#include "kernels/align/simd_sweep_body.h"

const simd_sweep_t simd_sweep_avx2[3] = {{2, 16, sweep16},
                                         {4, 8, sweep32},
                                         {8, 4, sweep64}};
