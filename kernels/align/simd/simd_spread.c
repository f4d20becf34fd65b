/*
 * simd_spread.c - interleaves the sequences of a group, by blocks of 16 lanes and 16
 * positions, which are transposed in registers.
 *
 * Interleaving the bytes of vectors k and k + 8, for k = 0 .. 7, rotates the bits of each
 * byte's index (vector, byte) by one.  After four rounds vector and byte have changed
 * places.
 */
#include "kernels/align/simd/simd_group.h"

#include <string.h>

enum { SIDE = 16 };

typedef uint8_t block_t __attribute__((vector_size(SIDE)));

#if defined(__SSE4_1__)
#include <smmintrin.h>
#define LOOK_UP(table, at)    ((block_t)_mm_shuffle_epi8((__m128i)(table), (__m128i)(at)))
#define INTERLEAVE_LOW(a, b)  ((block_t)_mm_unpacklo_epi8((__m128i)(a), (__m128i)(b)))
#define INTERLEAVE_HIGH(a, b) ((block_t)_mm_unpackhi_epi8((__m128i)(a), (__m128i)(b)))
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#define LOOK_UP(table, at)    ((block_t)vqtbl1q_u8((uint8x16_t)(table), (uint8x16_t)(at)))
#define INTERLEAVE_LOW(a, b)  ((block_t)vzip1q_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#define INTERLEAVE_HIGH(a, b) ((block_t)vzip2q_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#endif

static void spread_bytes(const simd_spread_lane_t *in, int n, int lanes,
                         const uint8_t *table, uint8_t pad, int64_t n_positions,
                         uint8_t *out)
{
    memset(out, pad, (size_t)(n_positions * lanes));
    for (int lane = 0; lane < n; lane++)
        for (int64_t i = 0; i < in[lane].len; i++)
            out[i * lanes + lane] =
                table != NULL ? table[in[lane].letters[i]] : in[lane].letters[i];
}

#if defined(LOOK_UP)
/* @return 16 translated positions of a lane, from `first` on */
static inline block_t read_lane(const simd_spread_lane_t *in, int64_t first,
                                const uint8_t *table, block_t in_register, uint8_t pad)
{
    uint8_t end[SIDE];
    block_t block;

    if (first + SIDE <= in->len) {
        memcpy(&block, in->letters + first, sizeof(block));
        return table != NULL ? LOOK_UP(in_register, block) : block;
    }
    for (int i = 0; i < SIDE; i++) {
        uint8_t code = first + i < in->len ? in->letters[first + i] : 0;

        end[i] = first + i >= in->len ? pad : table != NULL ? table[code] : code;
    }
    memcpy(&block, end, sizeof(block));
    return block;
}

static inline void transpose(block_t *x)
{
    for (int round = 0; round < 4; round++) {
        block_t y[SIDE];

        for (int k = 0; k < SIDE / 2; k++) {
            y[2 * k] = INTERLEAVE_LOW(x[k], x[k + SIDE / 2]);
            y[2 * k + 1] = INTERLEAVE_HIGH(x[k], x[k + SIDE / 2]);
        }
        memcpy(x, y, sizeof(y));
    }
}

void simd_spread(const simd_spread_lane_t *in, int n, int lanes, const uint8_t *table,
                 uint8_t pad, int64_t n_positions, uint8_t *out)
{
    static const simd_spread_lane_t no_lane = {.len = 0};
    block_t in_register = {0}, x[SIDE];

    if (lanes % SIDE != 0) {
        spread_bytes(in, n, lanes, table, pad, n_positions, out);
        return;
    }
    if (table != NULL)
        memcpy(&in_register, table, sizeof(in_register));
    for (int64_t first = 0; first < n_positions; first += SIDE) {
        int64_t count = n_positions - first < SIDE ? n_positions - first : SIDE;

        for (int lane = 0; lane < lanes; lane += SIDE) {
            for (int k = 0; k < SIDE; k++)
                x[k] = read_lane(lane + k < n ? &in[lane + k] : &no_lane, first, table,
                                 in_register, pad);
            transpose(x);
            for (int64_t k = 0; k < count; k++)
                memcpy(out + (first + k) * lanes + lane, &x[k], sizeof(x[k]));
        }
    }
}
#else
void simd_spread(const simd_spread_lane_t *in, int n, int lanes, const uint8_t *table,
                 uint8_t pad, int64_t n_positions, uint8_t *out)
{
    spread_bytes(in, n, lanes, table, pad, n_positions, out);
}
#endif
