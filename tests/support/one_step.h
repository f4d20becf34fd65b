/*
 * one_step.h - programs of one or a few steps, and their values as doubles.
 *
 * No tensor shares memory with another, so that all can be written before and read after
 * the steps.
 */
#pragma once

#include "kernels/cnn/common/cnn_backend.h"

enum { ONE_STEP_TENSORS = 20, ONE_STEP_STEPS = 8 };

/* The program points into the struct: do not copy it. */
typedef struct {
    cnn_program_t program;
    cnn_tensor_t tensors[ONE_STEP_TENSORS];
    cnn_step_t steps[ONE_STEP_STEPS];
    const char *layer;
} one_step_t;

/* One array per tensor. */
typedef struct {
    double *of[ONE_STEP_TENSORS];
} one_step_values_t;

/* Begin an empty program. @param layer  its layer's name, borrowed */
void one_step_begin(one_step_t *o, const char *layer, cnn_math_t math);

/* @return the number of a new tensor */
int one_step_tensor(one_step_t *o, const char *name, cnn_role_t role, cnn_type_t type,
                    const int64_t size[4]);

/* Add a step. @param reads, writes  tensors in the order of cnn_op.h, then -1 */
void one_step_add(one_step_t *o, cnn_op_t op, const cnn_params_t *params,
                  const int *reads, const int *writes);

/* Allocate values of all tensors, 0. */
void one_step_values_create(const one_step_t *o, one_step_values_t *v);
void one_step_values_free(one_step_values_t *v);

/* Write all tensors, run all steps, and read all tensors.
 *
 * @param where    its program is that of o
 * @param in, out  may be the same */
status_t one_step_run(const one_step_t *o, const cnn_backend_t *backend,
                      const cnn_context_t *where, const cnn_iteration_t *it,
                      const one_step_values_t *in, one_step_values_t *out) MUST_CHECK;
