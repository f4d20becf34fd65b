/*
 * simd_local_sweep.h - a sweep over the whole matrices of a group of pairs, one pair per
 * lane, for local alignments.
 *
 * A cell is a key of local_layout.h.  There is one function per SIMD level and
 * local_sweep_t, generated from simd_local_body.h.
 */
#pragma once

#include "kernels/align/simd/simd_sweep.h"

/* Lanes of 16, 32 and 64 bits; steps of two values, or of a table.  The profiles are for
 * scores of pairs that share their rows: larger scores end at LOCAL_8_MAX or
 * LOCAL_16_MAX. */
typedef enum {
    LOCAL_16,
    LOCAL_32,
    LOCAL_64,
    LOCAL_32_TABLE,
    LOCAL_64_TABLE,
    LOCAL_8_PROFILE,
    LOCAL_16_PROFILE,
    LOCAL_SWEEPS
} local_sweep_t;

/* Their lanes hold scores from a floor on, and saturate. */
enum {
    LOCAL_8_FLOOR = INT8_MIN,
    LOCAL_8_MAX = INT8_MAX - INT8_MIN,
    LOCAL_16_FLOOR = INT16_MIN,
    LOCAL_16_MAX = INT16_MAX - INT16_MIN
};

/* Rows are computed in strips, in which lanes that have ended go on with rows of pads. */
enum { LOCAL_ROWS = 4 };

/* A lane's largest key, and where it was found last: in rows row + 1 .. row + LOCAL_ROWS,
 * at the columns first .. last, counted from 1; cells beyond the pair's are none. */
typedef struct {
    int64_t key;
    int32_t row, first, last;
} local_best_t;

typedef struct {
    int n_lanes; /* lanes in use, from lane 0 */
    int32_t m_max, n_max;
    const uint8_t *rows; /* [m_max, to a multiple of LOCAL_ROWS][lanes] bases or pads */
    const uint8_t *columns; /* [n_max][lanes] */
    /* what a column and a gap's base add; pads are mismatches, which must not gain */
    int64_t match, mismatch, open, extend;
    int64_t floor; /* is added to keys in the lanes, so that no step leads below 0; in 16
                    * bits it is 0, and subtraction saturates */
    bool affine;
    bool plain;      /* no base is an ambiguity code; pads of columns are SIMD_PAD */
    bool finds_ends; /* the places of local_best_t are wanted */
    const int32_t
        *table32; /* [SIMD_TABLE_SIZE] steps, by row code * ALPHABET_SIZE + column code */
    const int64_t *table64;
    const double *table_doubles; /* instead, of sweeps of doubles */
    const uint8_t *profile;      /* instead, of profiles: steps as signed bytes */
    void *h, *f;                 /* [n_max][lanes] scratch, aligned */
    const int *cancel;
} local_group_t;

typedef struct {
    int lane_bytes, lanes;
    void (*run)(const local_group_t *group, local_best_t *best); /* [lanes] out */
    bool has_doubles;                                            /* lanes and table64 */
} local_sweep_fn_t;

/* Keys are at most this, in lanes of doubles too. */
#define LOCAL_KEY_MAX (INT64_C(1) << 53)

/* [LOCAL_SWEEPS] */
extern const local_sweep_fn_t simd_local_sweeps_128[LOCAL_SWEEPS];
extern const local_sweep_fn_t simd_local_sweeps_avx2[LOCAL_SWEEPS];
extern const local_sweep_fn_t simd_local_sweeps_avx512[LOCAL_SWEEPS];

/* Of simd_doubles_avx2.c. */
void simd_local_avx2_64(const local_group_t *group, local_best_t *best);
void simd_local_avx2_64_table(const local_group_t *group, local_best_t *best);
