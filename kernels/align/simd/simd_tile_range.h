/*
 * simd_tile_range.h - the tiles that a sweep of simd_tile_affine_body.h computes.
 *
 * Where a lower bound of a pair's score is known, a cell matters only if a path with at
 * least this score may lead through it.  From cell (i, j) on, a path has at most q =
 * min(m - i, n - j) columns of two bases, and d = max(m - i, n - j) - q bases are in
 * gaps. So it gains at most match q + e d, where e <= 0 is the maximum score of a gap's
 * base. No step of a path raises the sum of this and of the score up to its cell.
 *
 * Behind a row of tiles the range of the next one is chosen.  It begins with the first
 * tile that has a cell in the last row that matters: what matters never comes from the
 * left of it.  It ends with the tile behind the last one that has such a cell.  Beyond
 * that tile a path gets from the last row only with a gap.  With this gap first, it leads
 * through a cell of the last row beyond all that matter, and so does not matter itself.
 *
 * Cells beside the range are given lower bounds: one gap leads there from the corner. The
 * corner of the first tile is not known if the tile above was the first one, too.  The
 * cell to the right of it, less a match and a gap, is a lower bound that takes its place.
 * That is at most a match and two gaps too low.
 */
#pragma once

#include "kernels/align/simd/simd_sweep.h"

/* Rows that are computed together. */
enum { SIMD_AFFINE_ROWS = 4 };

/* The rows in memory: simd_group_t.f holds all but h. */
typedef struct {
    uint8_t *h, *f;              /* [n_max + 1][lanes]; f is that of the row below */
    uint8_t *last_v, *last_less; /* likewise */
    uint8_t *shift;  /* [columns of tiles][lanes] the corner less the one to the left */
    int32_t *corner; /* likewise: h of the corner */
} simd_affine_rows_t;

static inline simd_affine_rows_t simd_affine_rows_of(const simd_group_t *g, int lanes)
{
    size_t bytes = (size_t)(g->n_max + 1) * (size_t)lanes;
    uint8_t *f = g->f;

    return (simd_affine_rows_t){g->h,          f,
                                f + bytes,     f + 2 * bytes,
                                f + 3 * bytes, (int32_t *)(f + 4 * bytes)};
}

/* The ends of each lane in its last column and, afterwards, in its last row: their h less
 * `slope` per base is largest in the best one, which is kept.  8-bit layouts are for
 * values of 31 bits. */
typedef struct {
    int32_t slope;
    int32_t h[SIMD_LANES_MAX];   /* of the cell reached */
    int32_t top[SIMD_LANES_MAX]; /* the maximum */
    int32_t at[SIMD_LANES_MAX];  /* its row, or its column */
} simd_affine_ends_t;

/* The steps of align_scoring_t.neutral by what two bytes have in common. */
typedef struct {
    uint8_t by_meet[16];
} simd_affine_neutral_t;

static inline simd_affine_neutral_t simd_affine_neutral(const cell_layout_t *f)
{
    simd_affine_neutral_t table;

    for (unsigned meet = 0; meet < 16; meet++) {
        int n = __builtin_popcount(meet);
        int64_t step = n == 0   ? f->step_neutral[0]
                       : n == 3 ? f->step_match
                                : f->step_mismatch;

        table.by_meet[meet] = (uint8_t)step;
    }
    return table;
}

/* @return the bias of values in lanes */
static inline int64_t simd_affine_bias(const cell_layout_t *f)
{
    return 2 * f->open + (f->mismatch < 0 ? -f->mismatch : 0);
}

/* @return h(i, 0) */
static inline int64_t simd_affine_left(const simd_group_t *g, int32_t i)
{
    return g->row_border[i] + (g->guarded && i > g->low);
}

/* @return h(0, j) */
static inline int64_t simd_affine_top(const simd_group_t *g, int32_t j)
{
    return g->column_border[j] + (g->guarded && j > g->high);
}

/* @return what ends gain per base along a border, or 0 if they are not free */
static inline int32_t simd_affine_slope(const simd_group_t *g, bool is_free)
{
    const cell_layout_t *f = g->layout;

    return is_free ? (int32_t)((f->gap_cost + f->end_gap.extend) / f->unit) : 0;
}

/* The columns first + 1 .. stop are computed; none: first = stop. */
typedef struct {
    int32_t first, stop;                /* multiples of tiles, or n_max */
    int32_t last_first[SIMD_LANES_MAX]; /* `first` of each lane's last row */
    int32_t last_h[SIMD_LANES_MAX];     /* h there */
} simd_tile_range_t;

/* @return the maximum score of a gap's base */
static inline int64_t simd_tile_gap(const align_spec_t *spec)
{
    int64_t gap = spec->scoring.gap;

    for (int k = 0; k < 2; k++) {
        int64_t end = align_end_gap(spec, k == 0).extend;

        gap = end > gap ? end : gap;
    }
    return gap;
}

/* @return whether a cell of row i, in column 0 or first + 1 .. first + tile, may matter.
 *         What a cell needs does not fall from left to right, so all are compared with
 *         what one in column `first` needs. */
static inline bool simd_tile_matters(const simd_group_t *g, int lanes, int32_t i,
                                     int32_t first)
{
    const cell_layout_t *f = g->layout;
    const simd_affine_rows_t rows = simd_affine_rows_of(g, lanes);
    const int32_t end = first + f->tile < g->n_max ? first + f->tile : g->n_max;
    const int32_t *corner = rows.corner + (int64_t)(first / f->tile) * lanes;
    const int64_t gap = simd_tile_gap(g->spec);
    uint8_t top[SIMD_LANES_MAX] = {0};

    for (int32_t j = first + 1; j <= end; j++)
        for (int lane = 0; lane < lanes; lane++) {
            uint8_t h = rows.h[(int64_t)j * lanes + lane];

            top[lane] = h > top[lane] ? h : top[lane];
        }
    for (int lane = 0; lane < g->n_lanes; lane++) {
        int64_t down = g->m[lane] - i, right = g->n[lane] - first;
        int64_t h = corner[lane] + top[lane] - simd_affine_bias(f), rest;

        if (down <= 0 || right <= 0)
            continue;
        if (first == 0 && simd_affine_left(g, i) > h)
            h = simd_affine_left(g, i);
        rest = down < right ? f->match_score * down + gap * (right - down)
                            : f->match_score * right + gap * (down - right);
        if (h * f->unit - f->gap_cost * (i + first) + rest >= g->least[lane])
            return true;
    }
    return false;
}

/* Choose the columns of the rows behind row i. */
static inline void simd_tile_choose(const simd_group_t *g, int lanes, int32_t i,
                                    int32_t *first, int32_t *stop)
{
    const int32_t tile = g->layout->tile;
    int32_t last;

    if (g->narrow) {
        *first = i > g->low ? (i - g->low) / tile * tile : 0;
        last = (i + g->high) / tile * tile;
    } else if (g->least != NULL) {
        while (*first < *stop && !simd_tile_matters(g, lanes, i, *first))
            *first += tile;
        last = (*stop - 1) / tile * tile;
        while (last > *first && !simd_tile_matters(g, lanes, i, last))
            last -= tile;
    } else {
        return;
    }
    *stop = last + 2 * tile < g->n_max ? last + 2 * tile : g->n_max;
    if (*first >= *stop)
        *first = *stop = g->n_max;
}

/* Find the corners of a row of tiles from those above it. */
static inline void simd_tile_turn(const simd_group_t *g, int lanes, int32_t i,
                                  int32_t old_first, int32_t first, int32_t stop)
{
    const cell_layout_t *f = g->layout;
    const simd_affine_rows_t rows = simd_affine_rows_of(g, lanes);
    const int32_t bias = (int32_t)simd_affine_bias(f);

    for (int32_t j = (stop - 1) / f->tile * f->tile; j >= first; j -= f->tile) {
        const bool is_new = j <= old_first; /* it has no tile to its left */
        int32_t *corner = rows.corner + (int64_t)(j / f->tile) * lanes;
        const int32_t *from = is_new ? corner : corner - lanes;
        const uint8_t *h = rows.h + (int64_t)(j + is_new) * lanes;
        const int32_t less = bias + (int32_t)(is_new ? f->match + f->open : 0);

        for (int lane = 0; lane < lanes; lane++)
            corner[lane] = from[lane] + h[lane] - less;
    }
    for (int lane = 0; first == 0 && lane < lanes; lane++)
        rows.corner[lane] = (int32_t)simd_affine_left(g, i);
}
