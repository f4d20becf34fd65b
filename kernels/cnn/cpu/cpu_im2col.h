/*
 * cpu_im2col.h - convolution as a product of matrices: the windows of an image as columns
 * (Chellapilla, Puri and Simard 2006).
 */
#ifndef RIBOGRID_KERNELS_CNN_CPU_CPU_IM2COL_H
#define RIBOGRID_KERNELS_CNN_CPU_CPU_IM2COL_H

#include "kernels/cnn/common/cnn_op.h"

/* One group of a convolution of one image. */
typedef struct {
    const cnn_convolution_t *p;
    int64_t n_channels; /* per group */
    int64_t in[2];      /* height and width of x */
    int64_t out[2];     /* of y */
} cpu_windows_t;

/*
 * Copy the windows of some rows of the output.
 *
 * @param x       [n_channels][in[0]][in[1]]
 * @param stride  from one row of col to the next, at least n_rows * out[1]
 * @param col     [n_channels * kernel[0] * kernel[1]] rows
 */
void cpu_im2col(const cpu_windows_t *w, const float *x, int64_t first_row, int64_t n_rows,
                float *col, int64_t stride);

/* Add them back: the transpose of cpu_im2col. */
void cpu_col2im(const cpu_windows_t *w, const float *col, int64_t stride,
                int64_t first_row, int64_t n_rows, float *x);

#endif
