/*
 * cnn_shape.h - sizes of outputs, of height and width alike.
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
