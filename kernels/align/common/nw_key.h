/*
 * nw_key.h - a cell's score, matches and columns as one integer.
 *
 * key = score * 2^score_shift + matches * 2^match_shift - columns.  As long as matches
 * and columns fit below their shifts, keys order cells as the definition does (score,
 * then matches, then fewer columns), so that one addition per step and one maximum per
 * cell carry all three.
 */
#pragma once

#include "kernels/align/common/align_spec.h"

#ifdef __CUDACC__
#define NW_KEY_FN __host__ __device__ static inline
#else
#define NW_KEY_FN static inline
#endif

typedef struct {
    int score_shift, match_shift; /* both 0: the key is the score */
} nw_key_t;

/* @return the number of bits that hold 0 .. value */
static inline int nw_key_bits(int64_t value)
{
    int bits = 0;

    for (; value > 0; value >>= 1)
        bits++;
    return bits;
}

/* @return the layout for pairs of at most m and n bases */
static inline nw_key_t nw_key_layout(const align_spec_t *spec, int64_t m, int64_t n)
{
    int64_t shorter = m < n ? m : n;
    nw_key_t key = {0, 0};

    if (align_has_identity(spec)) {
        key.match_shift = nw_key_bits(m + n + 1);
        key.score_shift = key.match_shift + nw_key_bits(shorter + 1);
    }
    return key;
}

/* @return what a step of one column adds to a key. @param matches  0 or 1 */
NW_KEY_FN int64_t nw_key_step(nw_key_t key, int64_t score, int64_t matches)
{
    if (key.score_shift == 0)
        return score;
    return score * (INT64_C(1) << key.score_shift) +
           matches * (INT64_C(1) << key.match_shift) - 1;
}

/* Split a key into its three numbers. */
NW_KEY_FN void nw_key_split(nw_key_t key, int64_t value, int64_t *score, int64_t *matches,
                            int64_t *columns)
{
    int64_t mask = (INT64_C(1) << key.match_shift) - 1;

    *columns = -value & mask; /* columns were subtracted, so the low bits hold -columns */
    value = (value + *columns) >> key.match_shift;
    *matches = value & ((INT64_C(1) << (key.score_shift - key.match_shift)) - 1);
    *score = value >> (key.score_shift - key.match_shift);
}
