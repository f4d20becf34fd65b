/*
 * simd_128.c - the sweeps for vectors of 16 bytes: SSE4.1 on x86-64, NEON on 64-bit Arm,
 * in the compiler's own vector types.
 */
#include "kernels/align/simd/simd_local_sweep.h"
#include "kernels/align/simd/simd_sweep.h"

#include <string.h>

typedef uint8_t b2_t __attribute__((vector_size(2)));
typedef uint8_t b4_t __attribute__((vector_size(4)));
typedef uint8_t b8_t __attribute__((vector_size(8)));
typedef uint8_t u8_t __attribute__((vector_size(16)));
typedef uint16_t u16_t __attribute__((vector_size(16)));
typedef int16_t s16_t __attribute__((vector_size(16)));
typedef uint32_t u32_t __attribute__((vector_size(16)));
typedef int64_t i64_t __attribute__((vector_size(16)));
typedef uint64_t words_t __attribute__((vector_size(16)));

#define LOAD(type, p)     (*(const type *)(p))
#define LOAD_BYTES(p)     WIDEN(u8_t, p, u8_t)
#define STORE(type, p, v) (*(type *)(p) = (v))
#define PICK(mask, a, b)  (((a) & (mask)) | ((b) & ~(mask)))

/* Comparisons give masks of signed lanes. */
#define MAX_BY_MASK(type, a, b) PICK((type)((a) > (b)), a, b)

#if defined(__SSE4_1__)
#include <smmintrin.h>
#define MAX_U8(a, b)  ((u8_t)_mm_max_epu8((__m128i)(a), (__m128i)(b)))
#define MAX_U16(a, b) ((u16_t)_mm_max_epu16((__m128i)(a), (__m128i)(b)))
#define MAX_U32(a, b) ((u32_t)_mm_max_epu32((__m128i)(a), (__m128i)(b)))
#define MAX_S16(a, b) ((u16_t)_mm_max_epi16((__m128i)(a), (__m128i)(b)))
#define MAX_S8(a, b)  ((u8_t)_mm_max_epi8((__m128i)(a), (__m128i)(b)))
#define ADD_S8(a, b)  ((u8_t)_mm_adds_epi8((__m128i)(a), (__m128i)(b)))
#define ADD_S16(a, b) ((u16_t)_mm_adds_epi16((__m128i)(a), (__m128i)(b)))
#define LOOK_UP(table, at) \
    ((u8_t)_mm_shuffle_epi8((__m128i)(table), (__m128i)(at))) /* 0 at SIMD_PAD */
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#define MAX_U8(a, b)       ((u8_t)vmaxq_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#define MAX_U16(a, b)      ((u16_t)vmaxq_u16((uint16x8_t)(a), (uint16x8_t)(b)))
#define MAX_U32(a, b)      ((u32_t)vmaxq_u32((uint32x4_t)(a), (uint32x4_t)(b)))
#define MAX_S16(a, b)      ((u16_t)vmaxq_s16((int16x8_t)(a), (int16x8_t)(b)))
#define MAX_S8(a, b)       ((u8_t)vmaxq_s8((int8x16_t)(a), (int8x16_t)(b)))
#define ADD_S8(a, b)       ((u8_t)vqaddq_s8((int8x16_t)(a), (int8x16_t)(b)))
#define ADD_S16(a, b)      ((u16_t)vqaddq_s16((int16x8_t)(a), (int16x8_t)(b)))
#define LOOK_UP(table, at) ((u8_t)vqtbl1q_u8((uint8x16_t)(table), (uint8x16_t)(at)))
#else
typedef int8_t s8_t __attribute__((vector_size(16)));
#define MAX_U8(a, b)  MAX_BY_MASK(u8_t, a, b)
#define MAX_U16(a, b) MAX_BY_MASK(u16_t, a, b)
#define MAX_U32(a, b) MAX_BY_MASK(u32_t, a, b)
#define MAX_S16(a, b) PICK((u16_t)((s16_t)(a) > (s16_t)(b)), a, b)
#define MAX_S8(a, b)  PICK((u8_t)((s8_t)(a) > (s8_t)(b)), a, b)
/* The sum has overflowed if its sign is that of neither. */
#define ADD_S8(a, b)                                                    \
    PICK((u8_t)((s8_t)(((a) ^ ((a) + (b))) & ((b) ^ ((a) + (b)))) < 0), \
         (u8_t)((s8_t)(a) < 0) ^ INT8_MAX, (a) + (b))
#define ADD_S16(a, b)                                                     \
    PICK((u16_t)((s16_t)(((a) ^ ((a) + (b))) & ((b) ^ ((a) + (b)))) < 0), \
         (u16_t)((s16_t)(a) < 0) ^ INT16_MAX, (a) + (b))
#define LOOK_UP(table, at) (__builtin_shuffle(table, at) & ~(u8_t)((at) >= SIMD_PAD))
#endif

/* The low byte of each lane of 16 bits, as a signed number. */
#define SIGNED_BYTES(x) ((u16_t)((s16_t)((u16_t)(x) << 8) >> 8))

/* Bytes, one per lane. */
#define WIDEN(bytes, p, type)                  \
    __extension__({                            \
        bytes bytes_;                          \
                                               \
        memcpy(&bytes_, p, sizeof(bytes_));    \
        __builtin_convertvector(bytes_, type); \
    })

/* @return a bit per lane of a mask */
static inline int bits32(u32_t mask)
{
#if defined(__SSE4_1__)
    return _mm_movemask_ps((__m128)mask);
#else
    const u32_t bits = mask & (u32_t){1, 2, 4, 8};

    return (int)(bits[0] | bits[1] | bits[2] | bits[3]);
#endif
}

static inline int bits64(i64_t mask)
{
    return (int)((mask[0] & 1) | (mask[1] & 2));
}

/* Per lane, match where the sets meet. */
#define MEET(type, q, t, match, mismatch) PICK((type)(((q) & (t)) != 0), match, mismatch)

static inline bool any_set(words_t mask)
{
    return (mask[0] | mask[1]) != 0;
}

static inline u32_t look_up32(const int32_t *table, u32_t at)
{
    return (u32_t){(uint32_t)table[at[0]], (uint32_t)table[at[1]], (uint32_t)table[at[2]],
                   (uint32_t)table[at[3]]};
}

static inline i64_t look_up64(const int64_t *table, i64_t at)
{
    return (i64_t){table[at[0]], table[at[1]]};
}

/* The steps by intersection, to be looked up. */
static inline u8_t steps8(int64_t match, int64_t mismatch)
{
    u8_t steps = (uint8_t)match - (u8_t){0};

    steps[0] = (uint8_t)mismatch;
    return steps;
}

static inline u8_t table8(const uint8_t *from)
{
    u8_t steps;

    memcpy(&steps, from, sizeof(steps));
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
#define V_TABLE(p)                 table8(p)
#define V_ROW(q)                   (q)
#define V_LIVE(q, x)               ((x) & (u8_t)((q) < SIMD_PAD))
#define V_STEP(q, floor, t, steps) LOOK_UP(steps, (q) & (t))
#define V_BEST(q, floor, t, steps, above, left) \
    V_MAX(V_MAX(V_STEP(q, floor, t, steps), left), above)
#define LANES_AGAIN
#include "kernels/align/simd/simd_diff_body.h"

/* The steps of a row's base, by code: of those below 16, and of the others. */
typedef struct {
    u8_t low, high;
} profile_t;

static inline profile_t profile_at(const uint8_t *profile, const uint8_t *row)
{
    const uint8_t *steps = profile + *row * ALPHABET_SIZE;

    return (profile_t){LOAD_BYTES(steps), LOAD_BYTES(steps + 16)};
}

/* The steps of a profile at codes. */
#define PROFILE_STEP(q, t) \
    PICK((u8_t)((t) >= 16), LOOK_UP((q).high, (t)&15), LOOK_UP((q).low, (t)&15))

#define NAME                       sweep8_profile
#define V_ROW_T                    profile_t
#define V_ROW_AT(g, p)             profile_at((g)->profile, p)
#define V_STEPS(match, mismatch)   V_SET1(0)
#define V_STEP(q, floor, t, steps) PROFILE_STEP(q, t)
#include "kernels/align/simd/simd_diff_body.h"

#define NAME                             local8_profile
#define LANE                             int8_t
#define LANES                            16
#define VEC                              u8_t
#define V_LOAD(p)                        LOAD(u8_t, p)
#define V_STORE(p, v)                    STORE(u8_t, p, v)
#define V_SET1(x)                        ((uint8_t)(x) - (u8_t){0})
#define V_ADD(a, b)                      ADD_S8(a, b)
#define V_SETS(p)                        V_LOAD(p)
#define V_ROW_T                          profile_t
#define V_ROW_AT(g, p)                   profile_at((g)->profile, p)
#define V_STEP(g, q, t, match, mismatch) PROFILE_STEP(q, t)
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      MAX_S8(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_ADD(cell, (run)->open)
#define V_REACHES(a, b)                  any_set((words_t)(MAX_S8(a, b) == (a)))
#include "kernels/align/simd/simd_local_body.h"

#define NAME                             local16_profile
#define LANE                             int16_t
#define LANES                            8
#define VEC                              u16_t
#define V_LOAD(p)                        LOAD(u16_t, p)
#define V_STORE(p, v)                    STORE(u16_t, p, v)
#define V_SET1(x)                        ((uint16_t)(x) - (u16_t){0})
#define V_ADD(a, b)                      ADD_S16(a, b)
#define V_SETS(p)                        WIDEN(b8_t, p, u16_t)
#define V_ROW_T                          profile_t
#define V_ROW_AT(g, p)                   profile_at((g)->profile, p)
#define V_STEP(g, q, t, match, mismatch) SIGNED_BYTES(PROFILE_STEP(q, (u8_t)(t)))
#define V_SAME(g, q, t, match, mismatch) V_STEP(g, q, t, match, mismatch)
#define V_TOP(a, b)                      MAX_S16(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_ADD(cell, (run)->open)
#define V_REACHES(a, b)                  any_set((words_t)(MAX_S16(a, b) == (a)))
#include "kernels/align/simd/simd_local_body.h"

#define NAME                             local16
#define LANE                             uint16_t
#define LANES                            8
#define VEC                              u16_t
#define V_LOAD(p)                        LOAD(u16_t, p)
#define V_STORE(p, v)                    STORE(u16_t, p, v)
#define V_SET1(x)                        ((x) - (u16_t){0})
#define V_ADD(a, b)                      ((a) + (b))
#define V_AND(a, b)                      ((a) & (b))
#define V_MAX(a, b)                      MAX_U16(a, b)
#define V_SETS(p)                        WIDEN(b8_t, p, u16_t)
#define V_STEP(g, q, t, match, mismatch) MEET(u16_t, q, t, match, mismatch)
#define V_SAME(g, q, t, match, mismatch) PICK((u16_t)((q) == (t)), match, mismatch)
#define V_TOP(a, b)                      MAX_S16(a, b)
#define OPENING(x)                       -(x)
#define V_OPENED(run, cell)              (MAX_U16(cell, (run)->open) - (run)->open)
#define V_REACHES(a, b)                  any_set((words_t)((a) >= (b)))
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep16
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME                             local32
#define LANE                             uint32_t
#define LANES                            4
#define VEC                              u32_t
#define V_LOAD(p)                        LOAD(u32_t, p)
#define V_STORE(p, v)                    STORE(u32_t, p, v)
#define V_SET1(x)                        ((x) - (u32_t){0})
#define V_ADD(a, b)                      ((a) + (b))
#define V_AND(a, b)                      ((a) & (b))
#define V_MAX(a, b)                      MAX_U32(a, b)
#define V_SETS(p)                        WIDEN(b4_t, p, u32_t)
#define V_STEP(g, q, t, match, mismatch) MEET(u32_t, q, t, match, mismatch)
#define V_SAME(g, q, t, match, mismatch) PICK((u32_t)((q) == (t)), match, mismatch)
#define V_TOP(a, b)                      V_MAX(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_TOP(V_ADD(cell, (run)->open), (run)->floor)
#define V_REACHES(a, b)                  any_set((words_t)((a) >= (b)))
#define V_EQUAL(a, b)                    bits32((u32_t)((a) == (b)))
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep32
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

#define NEUTRAL(g, is_match) V_SET1((uint32_t)(g)->layout->step_neutral[is_match])
#define NAME                 sweep32_neutral
#define V_STEP(g, q, t, match, mismatch)                                           \
    PICK((u32_t)(((q) | (t)) < SIMD_ROW_CODE), MEET(u32_t, q, t, match, mismatch), \
         MEET(u32_t, q, t, NEUTRAL(g, 1), NEUTRAL(g, 0)))
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

/* Codes of rows are multiplied by ALPHABET_SIZE: the OR of both indexes the table. */
#define NAME                             local32_table
#define V_ROWS(p)                        (V_SETS(p) << 5)
#define V_STEP(g, q, t, match, mismatch) look_up32((g)->table32, (q) | (t))
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep32_table
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME                             local64
#define LANE                             int64_t
#define LANES                            2
#define VEC                              i64_t
#define V_LOAD(p)                        LOAD(i64_t, p)
#define V_STORE(p, v)                    STORE(i64_t, p, v)
#define V_SET1(x)                        ((x) - (i64_t){0})
#define V_ADD(a, b)                      ((a) + (b))
#define V_AND(a, b)                      ((a) & (b))
#define V_MAX(a, b)                      MAX_BY_MASK(i64_t, a, b)
#define V_SETS(p)                        WIDEN(b2_t, p, i64_t)
#define V_STEP(g, q, t, match, mismatch) MEET(i64_t, q, t, match, mismatch)
#define V_SAME(g, q, t, match, mismatch) PICK((i64_t)((q) == (t)), match, mismatch)
#define V_TOP(a, b)                      MAX_BY_MASK(i64_t, a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_TOP(V_ADD(cell, (run)->open), (run)->floor)
#define V_REACHES(a, b)                  any_set((words_t)((a) >= (b)))
#define V_EQUAL(a, b)                    bits64((i64_t)((a) == (b)))
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep64
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME                             local64_table
#define V_ROWS(p)                        (V_SETS(p) << 5)
#define V_STEP(g, q, t, match, mismatch) look_up64((g)->table64, (q) | (t))
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep64_table
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME               sweep_bits
#define LANES              2
#define VEC                words_t
#define BYTES              b2_t
#define V_SHIFT_IN(x, low) ((x) << 1 | (low) >> 63)
#include "kernels/align/simd/simd_bits_body.h"

const simd_sweep_t simd_sweeps_128[SWEEPS] = {
    {1, 16, sweep8, sweep8_affine, false},
    {2, 8, sweep16, sweep16_affine, false},
    {4, 4, sweep32, sweep32_affine, false},
    {8, 2, sweep64, sweep64_affine, false},
    {4, 4, sweep32_table, sweep32_table_affine, false},
    {8, 2, sweep64_table, sweep64_table_affine, false},
    {4, 4, sweep32_neutral, sweep32_neutral_affine, false},
    {8, 2, sweep_bits, NULL, false},
    {1, 16, NULL, sweep8_profile_affine, false}};

const local_sweep_fn_t simd_local_sweeps_128[LOCAL_SWEEPS] = {
    {2, 8, local16, false},        {4, 4, local32, false},
    {8, 2, local64, false},        {4, 4, local32_table, false},
    {8, 2, local64_table, false},  {1, 16, local8_profile, false},
    {2, 8, local16_profile, false}};
