/*
 * cnn_shape.h - sizes of outputs, of height and width alike, and of products.
 */
#pragma once

#include "kernels/cnn/common/cnn_op.h"

/* @param axis  0: height, 1: width
 * @return the output's size, below 1 if no window fits */
static inline int64_t cnn_shape_convolution(const cnn_convolution_t *p, int axis,
                                            int64_t size)
{
    int64_t room = size + 2 * (int64_t)p->pad[axis] - p->kernel[axis];

    return room < 0 ? 0 : room / p->stride[axis] + 1;
}

/* Likewise. */
static inline int64_t cnn_shape_pool(const cnn_pool_t *p, int axis, int64_t size)
{
    int64_t stride = p->stride[axis], pad = p->pad[axis];
    int64_t room = size + 2 * pad - p->kernel[axis];
    int64_t n = room < 0 ? 0 : (room + (p->is_ceil ? stride - 1 : 0)) / stride + 1;

    if (p->is_ceil && n > 0 && (n - 1) * stride >= size + pad)
        n--;
    return n;
}

/* Columns that a product of a convolution on a CPU has at least, because OpenBLAS is slow
 * with few: the outputs of several images if each has fewer. */
enum { CNN_MIN_COLUMNS = 256 };

/* @param plane  outputs of a channel of an image
 * @return how many images such a product has.  Which ones they are decides the rounding,
 * so that a batch is divided between them alone */
static inline int64_t cnn_shape_images(int64_t plane)
{
    return (CNN_MIN_COLUMNS + plane - 1) / plane;
}
