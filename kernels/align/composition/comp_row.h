/*
 * comp_row.h - computes one row of a local alignment with affine gaps, as keys
 * (nw_key.h).
 *
 * There is one function per SIMD level, generated from comp_row_body.h.
 */
#pragma once

#include <stdint.h>

/* Arrays have room for a multiple of this many columns. */
enum { COMP_ROW_PAD = 8 };

/* Steps of columns that do not exist. */
#define COMP_ROW_NO_STEP (INT64_MIN / 4)

typedef struct {
    int64_t n;            /* columns */
    int64_t *h;           /* in: the best paths to the cells above; out: to these */
    int64_t *f;           /* likewise of those that end with a gap against the row */
    const int64_t *steps; /* of the row's residue with that of each column */
    int64_t open, extend;
} comp_row_t;

/* @return the largest key of the row */
typedef int64_t (*comp_row_fn_t)(const comp_row_t *row);

int64_t comp_row_avx2(const comp_row_t *row);
int64_t comp_row_avx512(const comp_row_t *row);
