/*
 * simd_128.c - the sweeps for vectors of 16 bytes: SSE4.1 on x86-64, NEON on 64-bit Arm,
 * in the compiler's own vector types.
 */
#include "kernels/align/cpu/simd_sweep.h"

#include <string.h>

typedef uint8_t bytes_t __attribute__((vector_size(8)));
typedef uint8_t u8_t __attribute__((vector_size(16)));
typedef uint16_t u16_t __attribute__((vector_size(16)));
typedef uint32_t u32_t __attribute__((vector_size(16)));
typedef int64_t i64_t __attribute__((vector_size(16)));

#define LOAD(type, p)     (*(const type *)(p))
#define STORE(type, p, v) (*(type *)(p) = (v))
#define PICK(mask, a, b)  (((a) & (mask)) | ((b) & ~(mask)))

/* Comparisons give masks of signed lanes. */
#define MAX_BY_MASK(type, a, b) PICK((type)((a) > (b)), a, b)

#if defined(__SSE4_1__)
#include <smmintrin.h>
#define MAX_U8(a, b)  ((u8_t)_mm_max_epu8((__m128i)(a), (__m128i)(b)))
#define MAX_U16(a, b) ((u16_t)_mm_max_epu16((__m128i)(a), (__m128i)(b)))
#define MAX_U32(a, b) ((u32_t)_mm_max_epu32((__m128i)(a), (__m128i)(b)))
#define LOOK_UP(table, at) \
    ((u8_t)_mm_shuffle_epi8((__m128i)(table), (__m128i)(at))) /* 0 at SIMD_PAD */
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#define MAX_U8(a, b)       ((u8_t)vmaxq_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#define MAX_U16(a, b)      ((u16_t)vmaxq_u16((uint16x8_t)(a), (uint16x8_t)(b)))
#define MAX_U32(a, b)      ((u32_t)vmaxq_u32((uint32x4_t)(a), (uint32x4_t)(b)))
#define LOOK_UP(table, at) ((u8_t)vqtbl1q_u8((uint8x16_t)(table), (uint8x16_t)(at)))
#else
#define MAX_U8(a, b)       MAX_BY_MASK(u8_t, a, b)
#define MAX_U16(a, b)      MAX_BY_MASK(u16_t, a, b)
#define MAX_U32(a, b)      MAX_BY_MASK(u32_t, a, b)
#define LOOK_UP(table, at) (__builtin_shuffle(table, at) & ~(u8_t)((at) >= SIMD_PAD))
#endif

/* The intersection of the sets of n lanes. */
static inline bytes_t both(const uint8_t *q, const uint8_t *t, size_t n)
{
    bytes_t a = {0}, b = {0};

    memcpy(&a, q, n);
    memcpy(&b, t, n);
    return a & b;
}

static inline u16_t step16(const uint8_t *q, const uint8_t *t, u16_t match,
                           u16_t mismatch)
{
    u16_t meet = __builtin_convertvector(both(q, t, 8), u16_t);

    return PICK((u16_t)(meet != 0), match, mismatch);
}

static inline u32_t step32(const uint8_t *q, const uint8_t *t, u32_t match,
                           u32_t mismatch)
{
    u32_t meet = {(uint32_t)(q[0] & t[0]), (uint32_t)(q[1] & t[1]),
                  (uint32_t)(q[2] & t[2]), (uint32_t)(q[3] & t[3])};

    return PICK((u32_t)(meet != 0), match, mismatch);
}

static inline i64_t step64(const uint8_t *q, const uint8_t *t, i64_t match,
                           i64_t mismatch)
{
    i64_t meet = {q[0] & t[0], q[1] & t[1]};

    return PICK((i64_t)(meet != 0), match, mismatch);
}

/* The steps by intersection, to be looked up. */
static inline u8_t steps8(int64_t match, int64_t mismatch)
{
    u8_t steps = (uint8_t)match - (u8_t){0};

    steps[0] = (uint8_t)mismatch;
    return steps;
}

#define NAME                       sweep8
#define LANES                      16
#define VEC                        u8_t
#define V_LOAD(p)                  LOAD(u8_t, p)
#define V_STORE(p, v)              STORE(u8_t, p, v)
#define V_SET1(x)                  ((uint8_t)(x) - (u8_t){0})
#define V_SUB(a, b)                ((a) - (b))
#define V_ADD(a, b)                ((a) + (b))
#define V_AND(a, b)                ((a) & (b))
#define V_ANDNOT(a, b)             (~(a) & (b))
#define V_SUB_TO_0(a, b)           (MAX_U8(a, b) - (b))
#define V_MAX(a, b)                MAX_U8(a, b)
#define V_STEPS(match, mismatch)   steps8(match, mismatch)
#define V_ROW(q)                   (q)
#define V_LIVE(q, x)               ((x) & (u8_t)((q) < SIMD_PAD))
#define V_STEP(q, floor, t, steps) LOOK_UP(steps, (q) & (t))
#define V_BEST(q, floor, t, steps, above, left) \
    V_MAX(V_MAX(V_STEP(q, floor, t, steps), left), above)
#include "kernels/align/cpu/simd_diff_body.h"

#define NAME                             sweep16
#define LANE                             uint16_t
#define LANES                            8
#define VEC                              u16_t
#define V_LOAD(p)                        LOAD(u16_t, p)
#define V_STORE(p, v)                    STORE(u16_t, p, v)
#define V_SET1(x)                        ((x) - (u16_t){0})
#define V_ADD(a, b)                      ((a) + (b))
#define V_AND(a, b)                      ((a) & (b))
#define V_MAX(a, b)                      MAX_U16(a, b)
#define V_STEP(g, q, t, match, mismatch) step16(q, t, match, mismatch)
#include "kernels/align/cpu/simd_sweep_body.h"

#define NAME                             sweep32
#define LANE                             uint32_t
#define LANES                            4
#define VEC                              u32_t
#define V_LOAD(p)                        LOAD(u32_t, p)
#define V_STORE(p, v)                    STORE(u32_t, p, v)
#define V_SET1(x)                        ((x) - (u32_t){0})
#define V_ADD(a, b)                      ((a) + (b))
#define V_AND(a, b)                      ((a) & (b))
#define V_MAX(a, b)                      MAX_U32(a, b)
#define V_STEP(g, q, t, match, mismatch) step32(q, t, match, mismatch)
#include "kernels/align/cpu/simd_sweep_body.h"

#define NAME                             sweep64
#define LANE                             int64_t
#define LANES                            2
#define VEC                              i64_t
#define V_LOAD(p)                        LOAD(i64_t, p)
#define V_STORE(p, v)                    STORE(i64_t, p, v)
#define V_SET1(x)                        ((x) - (i64_t){0})
#define V_ADD(a, b)                      ((a) + (b))
#define V_AND(a, b)                      ((a) & (b))
#define V_MAX(a, b)                      MAX_BY_MASK(i64_t, a, b)
#define V_STEP(g, q, t, match, mismatch) step64(q, t, match, mismatch)
#include "kernels/align/cpu/simd_sweep_body.h"

/* Codes of rows are shifted by four bits: the OR of both codes indexes the table. */
#define NAME          sweep32_table
#define LANE          uint32_t
#define LANES         4
#define VEC           u32_t
#define V_LOAD(p)     LOAD(u32_t, p)
#define V_STORE(p, v) STORE(u32_t, p, v)
#define V_SET1(x)     ((x) - (u32_t){0})
#define V_ADD(a, b)   ((a) + (b))
#define V_AND(a, b)   ((a) & (b))
#define V_MAX(a, b)   MAX_U32(a, b)
#define V_STEP(g, q, t, match, mismatch)             \
    (u32_t)                                          \
    {                                                \
        (uint32_t)(g)->table32[(q)[0] | (t)[0]],     \
            (uint32_t)(g)->table32[(q)[1] | (t)[1]], \
            (uint32_t)(g)->table32[(q)[2] | (t)[2]], \
            (uint32_t)(g)->table32[(q)[3] | (t)[3]]  \
    }
#include "kernels/align/cpu/simd_sweep_body.h"

#define NAME          sweep64_table
#define LANE          int64_t
#define LANES         2
#define VEC           i64_t
#define V_LOAD(p)     LOAD(i64_t, p)
#define V_STORE(p, v) STORE(i64_t, p, v)
#define V_SET1(x)     ((x) - (i64_t){0})
#define V_ADD(a, b)   ((a) + (b))
#define V_AND(a, b)   ((a) & (b))
#define V_MAX(a, b)   MAX_BY_MASK(i64_t, a, b)
#define V_STEP(g, q, t, match, mismatch)                             \
    (i64_t)                                                          \
    {                                                                \
        (g)->table64[(q)[0] | (t)[0]], (g)->table64[(q)[1] | (t)[1]] \
    }
#include "kernels/align/cpu/simd_sweep_body.h"

typedef uint64_t words_t __attribute__((vector_size(16)));
typedef uint8_t few_t __attribute__((vector_size(2)));

#define NAME               sweep_bits
#define LANES              2
#define VEC                words_t
#define BYTES              few_t
#define V_SHIFT_IN(x, low) ((x) << 1 | (low) >> 63)
#include "kernels/align/cpu/simd_bits_body.h"

const simd_sweep_t simd_sweeps_128[SWEEPS] = {{1, 16, sweep8, sweep8_affine},
                                              {2, 8, sweep16, sweep16_affine},
                                              {4, 4, sweep32, sweep32_affine},
                                              {8, 2, sweep64, sweep64_affine},
                                              {4, 4, sweep32_table, sweep32_table_affine},
                                              {8, 2, sweep64_table, sweep64_table_affine},
                                              {8, 2, sweep_bits, NULL}};
