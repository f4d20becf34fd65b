/*
 * comp_row_avx512.c - a row of keys in vectors of 8.
 */
#include "kernels/align/composition/comp_row.h"

#include <immintrin.h>

#define NAME                comp_row_avx512
#define LANES               8
#define VEC                 __m512i
#define V_LOAD(p)           _mm512_loadu_si512(p)
#define V_STORE(p, v)       _mm512_storeu_si512(p, v)
#define V_SET1(x)           _mm512_set1_epi64(x)
#define V_ADD(a, b)         _mm512_add_epi64(a, b)
#define V_MAX(a, b)         _mm512_max_epi64(a, b)
#define V_SHIFT_1(v, below) _mm512_alignr_epi64(v, below, 7)
#define V_SHIFT_2(v, below) _mm512_alignr_epi64(v, below, 6)
#define V_SHIFT_4(v, below) _mm512_alignr_epi64(v, below, 4)
#define V_LAST(v)           _mm512_permutexvar_epi64(_mm512_set1_epi64(7), v)
#include "kernels/align/composition/comp_row_body.h"
