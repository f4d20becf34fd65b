/*
 * nw_trace_line_avx512.c - an antidiagonal of keys in vectors of 8.
 */
#include "kernels/align/cpu/nw_trace_line.h"

#include <immintrin.h>

#define NAME                   nw_trace_line_avx512
#define LANES                  8
#define VEC                    __m512i
#define MASK                   __mmask8
#define V_LOAD(p)              _mm512_loadu_si512(p)
#define V_STORE(p, v)          _mm512_storeu_si512(p, v)
#define V_SET1(x)              _mm512_set1_epi64(x)
#define V_ADD(a, b)            _mm512_add_epi64(a, b)
#define V_LESS(a, b)           _mm512_cmplt_epi64_mask(a, b)
#define V_PICK(mask, a, b)     _mm512_mask_blend_epi64(mask, b, a)
#define LOAD_64(p)             _mm_loadl_epi64((const __m128i *)(p))
#define V_SHARE(rows, columns) (MASK) _mm_test_epi8_mask(LOAD_64(rows), LOAD_64(columns))
#define V_DIRECTIONS(p, is_side, is_left)                                            \
    _mm_storel_epi64((__m128i *)(p),                                                 \
                     _mm_maskz_mov_epi8(is_side,                                     \
                                        _mm_mask_blend_epi8(is_left,                 \
                                                            _mm_set1_epi8(TRACE_UP), \
                                                            _mm_set1_epi8(TRACE_LEFT))))
#include "kernels/align/cpu/nw_trace_line_body.h"
