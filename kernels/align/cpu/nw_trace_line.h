/*
 * nw_trace_line.h - computes one antidiagonal of a matrix of keys (nw_key.h).
 *
 * Its cells do not depend on each other.  Keys are of the best path to a cell (H), and
 * where gaps are affine also of the best ones that end with a step left (E) or up (F).
 * There is one function per SIMD level, generated from nw_trace_line_body.h.
 */
#pragma once

#include "kernels/align/cpu/trace_path.h"

#include <stdint.h>

/* A function may read and write this many cells after the last one. */
enum { TRACE_LINE_PAD = 8 };

/* Where a table has the step of two codes. */
#define TRACE_STEPS_AT(row, column) ((row)*ALPHABET_SIZE + (column))

/* Cells (i, k - i) of line k, for i = first .. last; all arrays are indexed by i. */
typedef struct {
    int64_t first, last;
    const int64_t *two_back, *one_back; /* lines k - 2 and k - 1 */
    int64_t *now;
    const int64_t *back_e, *back_f; /* of line k - 1; NULL: gaps are linear */
    int64_t *now_e, *now_f;
    const uint8_t *rows, *columns; /* bases of the cell's row and of its column */
    const int64_t *table;          /* steps by TRACE_STEPS_AT; NULL: two values */
    int64_t match, mismatch;       /* steps of bases that share a bit, and of others */
    int64_t gap, open;             /* affine gaps: of further bases, and of the first */
    uint8_t *directions;           /* out: TRACE_UP, ...; may be NULL */
} nw_trace_line_t;

typedef void (*nw_trace_line_fn_t)(const nw_trace_line_t *line);

void nw_trace_line_avx2(const nw_trace_line_t *line);
void nw_trace_line_avx512(const nw_trace_line_t *line);
