/*
 * native_winograd.cuh - convolutions of 3 x 3 taps with a quarter of the products.
 *
 * F(4 x 4, 3 x 3) of Winograd (Lavin and Gray 2016): tiles of 6 x 6 elements of an image,
 * and the filters, become values at 36 points; at each point all channels are multiplied
 * as matrices; 4 x 4 results follow from the products.  The points are 0, 1, -1, 1/2, -2
 * and infinity, whose errors are smaller than those of 0, 1, -1, 2, -2 (Barabasz et al.
 * 2020): in 32 bits some 5e-6 of the largest result, ten times those of direct sums.
 */
#pragma once

#include "kernels/cnn/native/native_plan.cuh"

/* Images are convolved some at a time, so that their points take little memory. */
typedef struct {
    native_op_t op;
    int n, n_at_once;
    native_plan_t product, last; /* of n_at_once images, and of what is left in the end */
    int tiles_h, tiles_w;        /* of an image */
} native_winograd_t;

/*
 * Plan a convolution of n images.
 *
 * @param p      as native_plan; results and operands are 32-bit floats
 * @param limit  bytes of the workspace
 * @return whether this takes fewer operations than `native_plan`, in the limit
 */
bool native_winograd_plan(native_op_t op, const native_problem_t *p, int n, int n_cores,
                          size_t limit, native_winograd_t *out);

/* @return the bytes of the workspace */
size_t native_winograd_bytes(const native_winograd_t *w);

/* @param p  with the operands, bias and relu */
status_t native_winograd_run(const native_winograd_t *w, const native_problem_t *p,
                             void *workspace, cudaStream_t stream);
