/*
 * comp_row_avx2.c - a row of keys in vectors of 4.
 */
#include "kernels/align/composition/comp_row.h"

#include <immintrin.h>

static inline __m256i larger(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

/* @return the upper half of `below`, and the lower half of v */
static inline __m256i shift_2(__m256i v, __m256i below)
{
    return _mm256_permute2x128_si256(below, v, 0x21);
}

#define NAME                comp_row_avx2
#define LANES               4
#define VEC                 __m256i
#define V_LOAD(p)           _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define V_STORE(p, v)       _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define V_SET1(x)           _mm256_set1_epi64x(x)
#define V_ADD(a, b)         _mm256_add_epi64(a, b)
#define V_MAX(a, b)         larger(a, b)
#define V_SHIFT_1(v, below) _mm256_alignr_epi8(v, shift_2(v, below), 8)
#define V_SHIFT_2(v, below) shift_2(v, below)
#define V_LAST(v)           _mm256_permute4x64_epi64(v, 0xff)
#include "kernels/align/composition/comp_row_body.h"
