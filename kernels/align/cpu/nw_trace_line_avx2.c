/*
 * nw_trace_line_avx2.c - an antidiagonal of keys in vectors of 4.
 */
#include "kernels/align/cpu/nw_trace_line.h"

#include <immintrin.h>
#include <string.h>

/* @return four bytes */
static inline uint32_t load_32(const uint8_t *p)
{
    uint32_t four;

    memcpy(&four, p, sizeof(four));
    return four;
}

/* @return a byte per lane: 1 where the mask is set */
static inline uint32_t ones_of(__m256i mask)
{
    uint32_t bits = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(mask));

    return (bits * 0x00204081) & 0x01010101; /* moves bit k to byte k */
}

static inline void store_directions(uint8_t *p, __m256i is_side, __m256i is_left,
                                    __m256i up_goes_on, __m256i left_goes_on)
{
    uint32_t directions =
        TRACE_UP * ones_of(is_side) +
        (TRACE_LEFT - TRACE_UP) * ones_of(_mm256_and_si256(is_side, is_left)) +
        TRACE_UP_GOES_ON * ones_of(up_goes_on) +
        TRACE_LEFT_GOES_ON * ones_of(left_goes_on);

    memcpy(p, &directions, sizeof(directions));
}

static inline __m256i share(const uint8_t *rows, const uint8_t *columns)
{
    __m256i both =
        _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)(load_32(rows) & load_32(columns))));

    return _mm256_cmpgt_epi64(both, _mm256_setzero_si256());
}

#define NAME                   nw_trace_line_avx2
#define LANES                  4
#define VEC                    __m256i
#define MASK                   __m256i
#define V_LOAD(p)              _mm256_loadu_si256((const __m256i *)(p))
#define V_STORE(p, v)          _mm256_storeu_si256((__m256i *)(p), v)
#define V_SET1(x)              _mm256_set1_epi64x(x)
#define V_ADD(a, b)            _mm256_add_epi64(a, b)
#define V_NOWHERE              _mm256_setzero_si256()
#define V_LESS(a, b)           _mm256_cmpgt_epi64(b, a)
#define V_PICK(mask, a, b)     _mm256_blendv_epi8(b, a, mask)
#define V_SHARE(rows, columns) share(rows, columns)
#define V_DIRECTIONS           store_directions
#include "kernels/align/cpu/nw_trace_line_body.h"
