/*
 * native_plan.cuh - how a product of matrices is divided among the blocks of a GPU.
 */
#pragma once

#include "kernels/cnn/native/native_problem.cuh"

typedef struct {
    native_problem_t p;
    native_op_t op;
    native_math_t math;
    int columns; /* of a tile */
    bool aligned;
} native_plan_t;

/*
 * Plan the product of n images.
 *
 * @param p        sizes, strides, padding, groups and d_is_float; operands, bias and relu
 *                 may be set later
 * @param n_cores  of the device
 */
native_plan_t native_plan(native_op_t op, native_math_t math, const native_problem_t *p,
                          int n, int n_cores);

/* @return the bytes of p.sums */
size_t native_plan_bytes(const native_plan_t *plan);

/* Multiply.  Without parts d is the product; otherwise p.sums has the parts. */
status_t native_plan_multiply(const native_plan_t *plan, cudaStream_t stream);

/* Multiply, and add the parts. */
status_t native_plan_run(const native_plan_t *plan, cudaStream_t stream);
