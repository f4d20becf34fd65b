/*
 * simd_sweep.h - one sweep over the matrices of a group of pairs, a pair a lane: a
 * function a vector level and cell_sweep_t, made from simd_sweep_body.h or simd_diff_body.h.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_SIMD_SWEEP_H
#define RIBOGRID_KERNELS_ALIGN_CPU_SIMD_SWEEP_H

#include "kernels/align/common/cell_layout.h"
#include "kernels/device/device.h"

enum { SIMD_LANES_MAX = 64, SIMD_ALIGN_BYTES = 64, SIMD_TABLE_SIZE = 256 };

/* Scratch of the bit-parallel sweep: six words a lane for 64 rows. */
#define SIMD_BITS_SCRATCH(m) (((size_t)(m) / 64 + 1) * 6 * SIMD_ALIGN_BYTES)

/* A band that holds the whole matrix. */
#define SIMD_BAND_NONE (INT32_MAX / 4)

typedef struct {
    const cell_layout_t *form;
    int n_lanes;                    /* lanes in use, from lane 0 */
    int32_t m[SIMD_LANES_MAX];      /* rows of each lane's matrix */
    int32_t n[SIMD_LANES_MAX];      /* columns, the most first */
    int32_t m_ends[SIMD_LANES_MAX]; /* [n_m_ends] the different values of m, ascending */
    int n_m_ends;
    int32_t m_max, n_max;
    int32_t low, high;   /* the band: columns i - low .. i + high of row i count */
    bool guarded;        /* one-byte sweep: the whole matrix, but see simd_diff_body.h */
    const uint8_t *rows; /* [m_max][lanes] letters, 0 behind a lane's end */
    const uint8_t *columns; /* [n_max][lanes] */
    const int64_t *border;  /* [n_max + 1] a free one's cells k letters in */
    const int32_t
        *table32; /* [SIMD_TABLE_SIZE] steps by row letter << 4 | column letter */
    const int64_t *table64;
    void *h;           /* [n_max + 1][lanes] scratch, aligned */
    const int *cancel; /* as align_spec_t's */
} simd_group_t;

/* @param best  [n_lanes] each lane's end; in: what it has already */
typedef void (*simd_sweep_fn_t)(const simd_group_t *group, cell_end_t *best);

typedef struct {
    int lane_bytes;
    int lanes;
    simd_sweep_fn_t run;
} simd_sweep_t;

/* [SWEEPS], a table a level */
extern const simd_sweep_t simd_sweeps_128[SWEEPS];
extern const simd_sweep_t simd_sweeps_avx2[SWEEPS];
extern const simd_sweep_t simd_sweeps_avx512[SWEEPS];

/* @return a level's sweeps, or NULL where this build has none */
const simd_sweep_t *simd_sweeps_of(simd_level_t level);

/* Let a lane end at a cell, if that may be better than what it has. */
static inline void simd_sweep_offer(const cell_layout_t *f, int64_t cell, int64_t i,
                                    int64_t j, cell_end_t *best)
{
    int64_t score = (cell >> f->h_shift) * f->unit - f->gap_cost * (i + j);

    if (score > best->score || (score == best->score && f->identity))
        cell_layout_offer(f, cell, i, j, best);
}

#endif
