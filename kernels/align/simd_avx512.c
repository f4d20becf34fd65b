/*
 * simd_avx512.c - the sweeps for AVX-512 (F, BW, VL, DQ).
 */
#include "kernels/align/simd_sweep.h"

#include <immintrin.h>

#define NAME          sweep16
#define LANE          int16_t
#define LANES         32
#define VEC           __m512i
#define V_LOAD(p)     _mm512_load_si512(p)
#define V_STORE(p, v) _mm512_store_si512(p, v)
#define V_SET1(x)     _mm512_set1_epi16(x)
#define V_ADD(a, b)   _mm512_add_epi16(a, b)
#define V_MAX(a, b)   _mm512_max_epi16(a, b)
#define V_STEP(q, t, match, mismatch)                                    \
    _mm512_mask_blend_epi16(                                             \
        _mm256_test_epi8_mask(_mm256_loadu_si256((const __m256i *)(q)),  \
                              _mm256_loadu_si256((const __m256i *)(t))), \
        mismatch, match)
#include "kernels/align/simd_sweep_body.h"

#define NAME          sweep32
#define LANE          int32_t
#define LANES         16
#define VEC           __m512i
#define V_LOAD(p)     _mm512_load_si512(p)
#define V_STORE(p, v) _mm512_store_si512(p, v)
#define V_SET1(x)     _mm512_set1_epi32(x)
#define V_ADD(a, b)   _mm512_add_epi32(a, b)
#define V_MAX(a, b)   _mm512_max_epi32(a, b)
#define V_STEP(q, t, match, mismatch)                                                  \
    _mm512_mask_blend_epi32(_mm_test_epi8_mask(_mm_loadu_si128((const __m128i *)(q)),  \
                                               _mm_loadu_si128((const __m128i *)(t))), \
                            mismatch, match)
#include "kernels/align/simd_sweep_body.h"

#define NAME          sweep64
#define LANE          int64_t
#define LANES         8
#define VEC           __m512i
#define V_LOAD(p)     _mm512_load_si512(p)
#define V_STORE(p, v) _mm512_store_si512(p, v)
#define V_SET1(x)     _mm512_set1_epi64(x)
#define V_ADD(a, b)   _mm512_add_epi64(a, b)
#define V_MAX(a, b)   _mm512_max_epi64(a, b)
#define V_STEP(q, t, match, mismatch)                                        \
    _mm512_mask_blend_epi64(                                                 \
        (__mmask8)_mm_test_epi8_mask(_mm_loadl_epi64((const __m128i *)(q)),  \
                                     _mm_loadl_epi64((const __m128i *)(t))), \
        mismatch, match)
#include "kernels/align/simd_sweep_body.h"

const simd_sweep_t simd_sweep_avx512[3] = {{2, 32, sweep16},
                                           {4, 16, sweep32},
                                           {8, 8, sweep64}};
