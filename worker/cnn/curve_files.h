/*
 * curve_files.h - learning curves as text and as a chart.
 */
#pragma once

#include "io/modelfile/cnn_model.h"

#include <stdio.h>

enum { CURVE_FILES_MEANS_MAX = 200 };

/*
 * Smooth a curve of training: means over a hundredth of the batches.
 *
 * @param values  [n] of batches
 * @param x, y    out, [CURVE_FILES_MEANS_MAX]: batches, in the middle; their mean
 * @return the number of means
 */
int curve_files_means(const double *values, int64_t n, double *x, double *y);

/* Print one line per batch: iteration, loss, accuracy, rate, and after the last batch
 * before a test its loss and accuracy. @param between  the values */
void curve_files_print(const cnn_curve_t *curve, const cnn_curve_t *tests, char between,
                       bool has_header, FILE *to);

/*
 * Write these lines, separated by commas.
 *
 * @param force  replace an existing file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t curve_files_csv(const char *path, bool force, const cnn_curve_t *curve,
                         const cnn_curve_t *tests) MUST_CHECK;

/* Draw loss and accuracy, of training (mean over a hundredth of the batches) and of
 * tests, against the number of batches. */
status_t curve_files_svg(const char *path, bool force, const cnn_curve_t *curve,
                         const cnn_curve_t *tests) MUST_CHECK;
