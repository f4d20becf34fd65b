/*
 * simd_sweep.h - one sweep over the matrices of a group of pairs, a pair a lane: a
 * function a vector level and lane width, all made from simd_sweep_body.h.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SIMD_SWEEP_H
#define RIBOGRID_KERNELS_ALIGN_SIMD_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

enum { SIMD_LANES_MAX = 64, SIMD_ALIGN_BYTES = 64 };

typedef struct {
    int n_lanes;                    /* lanes in use, from lane 0 */
    int32_t m[SIMD_LANES_MAX];      /* rows of each lane's matrix */
    int32_t n[SIMD_LANES_MAX];      /* columns */
    int32_t m_ends[SIMD_LANES_MAX]; /* [n_m_ends] the different values of m, ascending */
    int32_t n_ends[SIMD_LANES_MAX]; /* [n_n_ends] those of n */
    int n_m_ends, n_n_ends;
    const uint8_t *rows;    /* [m_max][lanes] letter sets, 0 behind a lane's end */
    const uint8_t *columns; /* [n_max][lanes] */
    void *h;                /* [n_max + 1][lanes] scratch, aligned */
    bool ends_free;
    int64_t match, mismatch, gap; /* steps */
    const int *cancel;            /* as align_spec_t's */
} simd_group_t;

/* @param out  [n_lanes] the best key of each lane's pair */
typedef void (*simd_sweep_fn_t)(const simd_group_t *group, int64_t *out);

typedef struct {
    int bytes; /* of a lane: 2, 4 or 8 */
    int lanes;
    simd_sweep_fn_t sweep;
} simd_sweep_t;

/* [3] lanes of 2, 4 and 8 bytes; NULL entries where a level is not compiled in */
extern const simd_sweep_t simd_sweep_avx2[3];
extern const simd_sweep_t simd_sweep_avx512[3];

#endif
