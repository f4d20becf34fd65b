/*
 * nw_trace_line.h - one antidiagonal of a matrix of keys (nw_key.h), whose cells do not
 * depend on each other: a function a vector level, made from nw_trace_line_body.h.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_NW_TRACE_LINE_H
#define RIBOGRID_KERNELS_ALIGN_CPU_NW_TRACE_LINE_H

#include <stdint.h>

/* How a cell is reached. */
enum { TRACE_DIAGONAL, TRACE_UP, TRACE_LEFT };

/* Cells that a function may read and write behind the last one, which mean nothing. */
enum { TRACE_LINE_PAD = 8 };

/* Cells (i, k - i) of line k, for i = first .. last; all arrays are indexed by i. */
typedef struct {
    int64_t first, last;
    const int64_t *two_back, *one_back; /* lines k - 2 and k - 1 */
    int64_t *now;
    const uint8_t *rows, *columns; /* the letters of the cell's row and column */
    const int64_t *table;    /* steps by row letter | column letter; NULL: two values */
    int64_t match, mismatch; /* where letters share a bit, and where not */
    int64_t gap;
    uint8_t *directions; /* NULL: not wanted */
} nw_trace_line_t;

typedef void (*nw_trace_line_fn_t)(const nw_trace_line_t *line);

void nw_trace_line_avx2(const nw_trace_line_t *line);
void nw_trace_line_avx512(const nw_trace_line_t *line);

#endif
