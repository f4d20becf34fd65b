/*
 * simd_sweep.h - a sweep over the matrices of a group of pairs, one pair per lane.
 *
 * There is one function per SIMD level and cell_sweep_t, generated from
 * simd_sweep_body.h, simd_diff_body.h or simd_bits_body.h.
 */
#pragma once

#include "kernels/align/common/cell_layout.h"
#include "kernels/device/device.h"

enum {
    SIMD_LANES_MAX = 64,
    SIMD_ALIGN_BYTES = 64,
    SIMD_TABLE_SIZE = ALPHABET_SIZE * ALPHABET_SIZE
};

/* The 8-bit sweep: rows are computed in blocks of up to 8, and those after the end of a
 * lane are marked by a bit that all columns have, too. */
enum { SIMD_BLOCK_ROWS = 8, SIMD_PAD = 0x80 };

/* SWEEP_32_NEUTRAL: bits of ambiguity codes, which no sets have. */
enum { SIMD_ROW_CODE = 0x10, SIMD_COLUMN_CODE = 0x20 };

/* Bytes of scratch for the bit-parallel sweep: six words per lane and 64 rows. */
#define SIMD_BITS_SCRATCH(m) (((size_t)(m) / 64 + 1) * 6 * SIMD_ALIGN_BYTES)

/* Which step a cell's value comes from, as flags with a bit per lane: the diagonal one,
 * or else up, or else left.  Of affine cells also whether a gap that goes on down, or to
 * the right, begins behind this cell. */
enum { SIMD_FLAG_DIAGONAL, SIMD_FLAG_UP, SIMD_FLAGS };
enum { SIMD_FLAG_DOWN_BEGINS = SIMD_FLAGS, SIMD_FLAG_RIGHT_BEGINS, SIMD_FLAGS_AFFINE };

/* Where the flags of a row are: those of column j, from 1, at cell + (j - first) step. */
typedef struct {
    int64_t cell;
    int32_t first, step;
} simd_trace_row_t;

/* The flags of a group's cells, in the order in which they are computed. */
typedef struct {
    int cell_bytes, flag_bytes;
    simd_trace_row_t *rows; /* [m_max] */
    uint8_t *flags, *next;  /* next: those of the next column */
    uint32_t *runs;         /* [m_max + n_max + 4] of one path: trace_path_t */
} simd_trace_t;

/* A band that holds the whole matrix. */
#define SIMD_BAND_NONE (INT32_MAX / 4)

typedef struct {
    const align_spec_t *spec;
    const cell_layout_t *layout;
    int n_lanes;                    /* lanes in use, from lane 0 */
    int32_t m[SIMD_LANES_MAX];      /* rows of each lane's matrix */
    int32_t n[SIMD_LANES_MAX];      /* columns, descending */
    int32_t m_ends[SIMD_LANES_MAX]; /* [n_m_ends] the distinct values of m, ascending */
    int n_m_ends;
    int32_t m_max, n_max;
    int32_t low, high;      /* the band: columns i - low .. i + high of row i */
    bool guarded;           /* 8-bit sweep: guard the band, see simd_diff_body.h */
    bool narrow;            /* 8-bit sweep of affine cells: compute little but the band */
    const int64_t *least;   /* the same: [n_lanes] scores of paths that matter; NULL: all
                             * do */
    const uint8_t *rows;    /* [m_max, to a multiple of SIMD_BLOCK_ROWS][lanes] bases, 0
                             * after the end of a lane; in 8-bit lanes SIMD_PAD */
    const uint8_t *columns; /* [n_max][lanes]; in 8-bit lanes with SIMD_PAD added */
    const int64_t *row_border;    /* [m_max + 1] cells of column 0 */
    const int64_t *column_border; /* [n_max + 1] cells of row 0 */
    const int32_t *table32;       /* [SIMD_TABLE_SIZE] steps, by row code *
                                   * ALPHABET_SIZE + column code */
    const int64_t *table64;
    const double *table_doubles; /* instead, of sweeps of doubles */
    const uint8_t *profile;      /* [SIMD_TABLE_SIZE] SWEEP_8_PROFILE: steps */
    void *h;                     /* [n_max + 1][lanes] scratch, aligned */
    void *f;                     /* the same for affine cells, else NULL */
    simd_trace_t *trace;         /* to be filled in; NULL: paths are not followed */
    const int *cancel;           /* as in align_run_t */
} simd_group_t;

/* @param best  [n_lanes] in and out: the best end of each lane */
typedef void (*simd_sweep_fn_t)(const simd_group_t *group, cell_end_t *best);

typedef struct {
    int lane_bytes;
    int lanes;
    simd_sweep_fn_t run;
    simd_sweep_fn_t run_affine; /* NULL if no layout is for it */
    bool has_doubles;           /* lanes and tables */
} simd_sweep_t;

/* [SWEEPS] by cell_sweep_t */
extern const simd_sweep_t simd_sweeps_128[SWEEPS];
extern const simd_sweep_t simd_sweeps_avx2[SWEEPS];
extern const simd_sweep_t simd_sweeps_avx512[SWEEPS];

/* Of simd_doubles_avx2.c. */
void simd_sweep_avx2_64(const simd_group_t *group, cell_end_t *best);
void simd_sweep_avx2_64_affine(const simd_group_t *group, cell_end_t *best);
void simd_sweep_avx2_64_table(const simd_group_t *group, cell_end_t *best);
void simd_sweep_avx2_64_table_affine(const simd_group_t *group, cell_end_t *best);

/* Note where the flags of n_rows rows from row i (from 0) are, which begin in column j
 * (from 0) and are computed together. */
static inline void simd_trace_begin(simd_trace_t *t, int32_t i, int n_rows, int32_t j)
{
    for (int r = 0; r < n_rows; r++)
        t->rows[i + r] =
            (simd_trace_row_t){(t->next - t->flags) / t->cell_bytes + r, j + 1, n_rows};
}

/* Let a lane's alignment end in cell (i, j): cell_layout_offer, with a quick check first.
 */
static inline void simd_sweep_offer(const simd_group_t *g, int lane, int64_t cell,
                                    int64_t i, int64_t j, cell_end_t *best)
{
    int64_t behind = g->m[lane] - i + g->n[lane] - j;
    const cell_layout_t *f = g->layout;

    if (f->tie == TIE_KNOWN
            ? cell_layout_known_rest(f, cell, i, j, behind, best[lane].score) >= 0
            : cell_layout_score(f, cell, i, j, behind) >= best[lane].score + !f->identity)
        cell_layout_offer(f, cell, i, j, behind, &best[lane]);
}
