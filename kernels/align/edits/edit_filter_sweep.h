/*
 * edit_filter_sweep.h - edit distances of a group of pairs on a CPU, one pair per lane of
 * 64 bits.
 *
 * There is one function per vector level, made from edit_filter_sweep_body.h; which one
 * runs is chosen at run time.
 */
#pragma once

#include "kernels/align/edits/edit_filter_bound.h"
#include "kernels/device/device.h"

/* edit_filter_last_column.c: tests all cells of a pair's last column, which may all be
 * ends if ends are free. */

enum { EDIT_FILTER_ROWS = 64 }; /* rows per word of a lane: a block */

/* The last column of one lane, as edit_filter_sweep.h leaves it: for each block of 64
 * rows a word of the rows where F is one more than in the row above (`more`), and a word
 * of those where it is one less. */
typedef struct {
    const uint64_t *more;
    int less;   /* words from `more` of a block to `less` of the same block */
    int stride; /* words from a block to the next */
} edit_filter_column_t;

/*
 * Test the cells (1, n) .. (m, n).
 *
 * @param edits  F(0, n)
 * @return whether F is within the bound in one of them
 */
bool edit_filter_last_column(const edit_filter_bound_t *bound,
                             edit_filter_column_t column, int32_t m, int32_t n,
                             int64_t edits);

enum {
    EDIT_FILTER_LANES_MAX = 8,
    EDIT_FILTER_PLANES = 4, /* bits of a letter */
    EDIT_FILTER_WORDS = 6 /* of a block: its planes, and where F is one more, one less */
};

/* Rows are the query's bases, beginning with the lowest bit of the first block. */
typedef struct {
    const edit_filter_bound_t *bound;
    bool same_code; /* letters match if they are equal, not if their sets intersect */
    int n_lanes;    /* lanes in use, from lane 0 on */
    int32_t m[EDIT_FILTER_LANES_MAX]; /* rows of each lane; all have n_blocks blocks */
    int32_t n[EDIT_FILTER_LANES_MAX]; /* columns of each lane, in falling order */
    int32_t n_blocks;
    int32_t low, high; /* counted ends: column j needs rows j - high .. j + low only */
    uint64_t *blocks; /* [n_blocks][EDIT_FILTER_WORDS][lanes], aligned to 64 bytes: planes
                       * are filled in, 0 behind the end of a lane */
    const uint8_t *cols; /* [n[0]][lanes] letters, 0 behind the end of a lane */
    const int *cancel;   /* may be NULL; if it is not 0, keep may be wrong */
} edit_filter_group_t;

typedef struct {
    int lanes;
    /* @param keep  [n_lanes] out: 1 if F is within the bound in an end, else 0 */
    void (*run)(const edit_filter_group_t *group, uint8_t *keep);
} edit_filter_sweep_t;

extern const edit_filter_sweep_t edit_filter_sweep_128;
extern const edit_filter_sweep_t edit_filter_sweep_avx2;
extern const edit_filter_sweep_t edit_filter_sweep_avx512;

/* @return the widest sweep that a CPU of this level can run */
const edit_filter_sweep_t *edit_filter_sweep_of(simd_level_t level);
