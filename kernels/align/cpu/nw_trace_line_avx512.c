/*
 * nw_trace_line_avx512.c - an antidiagonal of keys in vectors of 8.
 */
#include "kernels/align/cpu/nw_trace_line.h"

#include <immintrin.h>

static inline void store_directions(uint8_t *p, __mmask8 is_side, __mmask8 is_left,
                                    __mmask8 up_goes_on, __mmask8 left_goes_on)
{
    __m128i up = _mm_set1_epi8(TRACE_UP), left = _mm_set1_epi8(TRACE_LEFT);
    __m128i step = _mm_maskz_mov_epi8(is_side, _mm_mask_blend_epi8(is_left, up, left));
    __m128i flags = _mm_or_si128(_mm_maskz_set1_epi8(up_goes_on, TRACE_UP_GOES_ON),
                                 _mm_maskz_set1_epi8(left_goes_on, TRACE_LEFT_GOES_ON));

    _mm_storel_epi64((__m128i *)(void *)p, _mm_or_si128(step, flags));
}

#define NAME                   nw_trace_line_avx512
#define LANES                  8
#define VEC                    __m512i
#define MASK                   __mmask8
#define V_LOAD(p)              _mm512_loadu_si512(p)
#define V_STORE(p, v)          _mm512_storeu_si512(p, v)
#define V_SET1(x)              _mm512_set1_epi64(x)
#define V_ADD(a, b)            _mm512_add_epi64(a, b)
#define V_NOWHERE              (MASK)0
#define V_LESS(a, b)           _mm512_cmplt_epi64_mask(a, b)
#define V_PICK(mask, a, b)     _mm512_mask_blend_epi64(mask, b, a)
#define LOAD_64(p)             _mm_loadl_epi64((const __m128i *)(p))
#define V_SHARE(rows, columns) (MASK) _mm_test_epi8_mask(LOAD_64(rows), LOAD_64(columns))
#define V_DIRECTIONS           store_directions
#include "kernels/align/cpu/nw_trace_line_body.h"
