/*
 * integral.h - integral histograms: prefix sums of a plane of counts, and the counts of a
 * rectangle, which are a sum of four of them.
 *
 * A plane has cells in rows and columns, and each cell has a count per bin.  P(i, j) is
 * the sum, by bins, of the cells of the first i rows and the first j columns; P(0, j) and
 * P(i, 0) are zeros.
 */
#pragma once

#include "io/base/status.h"

#include <stdint.h>

/*
 * Turn a row of cells into the row of the integral behind it.
 *
 * @param before     [n_columns][n_bins] P of the row before: zeros at first; out: of this
 *                   one
 * @param row        [n_columns][n_bins] the cells; out: P of this row, of columns first +
 *                   1, first + 2, ...
 * @param first      cells of the columns before it are zeros, and are not touched
 */
void integral_add_row(int64_t *before, int64_t *row, int64_t first, int64_t n_columns,
                      int64_t n_bins);

/* Read P(i, j). @param out  [n_bins] @return ST_OK or an error (logged) */
typedef status_t integral_read_t(void *from, int64_t i, int64_t j, int64_t *out);

/*
 * Count the cells of rows rows[0] .. rows[1]-1 and columns columns[0] .. columns[1]-1.
 *
 * @param cell   [n_bins] scratch
 * @param count  [n_bins] out
 * @return ST_OK or an error of `read`
 */
status_t integral_rectangle(integral_read_t *read, void *from, const int64_t rows[2],
                            const int64_t columns[2], int64_t n_bins, int64_t *cell,
                            int64_t *count) MUST_CHECK;
