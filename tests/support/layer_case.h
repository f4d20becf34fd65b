/*
 * layer_case.h - a list of layers of all kinds, as programs of their forward and backward
 * steps, which every backend must compute as `serial` does.
 */
#pragma once

#include "tests/support/one_step.h"

/* Values are uniform in (-1, 1), weights smaller the more of them there are. */
typedef struct {
    const char *name;
    cnn_op_t op; /* the forward operation, or an update */
    int64_t x[4];
    int64_t n_out; /* CNN_CONVOLUTION, CNN_LINEAR: channels of y */
    cnn_params_t params;
    bool has_bias;
    bool in_place;  /* y is x, and dx is dy */
    bool is_coarse; /* values are -1, 0 or 1: many are equal */
    bool is_large;  /* too large for a gradient of each element */
} layer_case_t;

extern const layer_case_t layer_cases[];
extern const int n_layer_cases;

enum { LAYER_MAX_GRADIENTS = 3 };

typedef struct {
    one_step_t one;
    int y;         /* what the first steps compute: y, or the loss */
    int dy;        /* the gradient of y; -1: y is the loss */
    int n_forward; /* steps that compute y */
    int n_gradients;
    struct {
        int of, tensor; /* of what, and where it is */
    } gradients[LAYER_MAX_GRADIENTS];
} layer_program_t;

/* An iteration whose members all differ from 0 and 1. */
extern const cnn_iteration_t layer_iteration;

/* Build the program of a case. @param type  of all tensors but labels; CNN_BF16: of x, y
 * and their gradients and of weights, all else is CNN_F32 */
void layer_case_program(const layer_case_t *c, cnn_type_t type, cnn_math_t math,
                        layer_program_t *out);

/* Create and fill the values of all tensors; results are NaN. */
void layer_case_values(const layer_case_t *c, const layer_program_t *p,
                       one_step_values_t *out);

/*
 * Run a case on a backend and on `serial`, and compare all tensors.
 *
 * @param where      its program is that of the case
 * @param tolerance  maximum error divided by the tensor's largest value
 * @return whether they are equal within the tolerance; prints what is not
 */
bool layer_case_compare(const layer_case_t *c, const cnn_backend_t *backend,
                        const cnn_context_t *where, cnn_type_t type, cnn_math_t math,
                        double tolerance);
