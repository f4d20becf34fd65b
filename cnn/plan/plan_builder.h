/*
 * plan_builder.h - a program in the making.
 */
#pragma once

#include "cnn/plan/cnn_plan.h"
#include "io/base/buf.h"
#include "kernels/cnn/common/cnn_program.h"

/* The tensors of a layer; -1 where there is none. */
typedef struct {
    int value;            /* the output, which may be the input's tensor */
    int gradient;         /* of the output, as far as it has been added up */
    int weight, bias;     /* parameters; of batch norms scale and shift */
    int factor;           /* the weight as the steps read it, which may be a copy */
    int d_weight, d_bias; /* gradients of these */
    int mean, deviation;  /* of a batch norm, saved for its gradient */
    int n_readers;        /* layers whose steps read the value */
    bool needs_gradient;  /* whether a parameter is at this layer or in front of it */
} plan_layer_t;

typedef struct {
    const cnn_net_t *net;
    const cnn_plan_options_t *options;
    int n_parts;          /* of a batch; the program is of one of them */
    int64_t n_whole;      /* images of all parts that differ in size; or 0 */
    cnn_type_t narrow;    /* type of activations, their gradients, and factors */
    cnn_type_t wide;      /* of all else */
    plan_layer_t *layers; /* [net->n_layers] */
    buf_t tensors, steps; /* cnn_tensor_t, cnn_step_t */
    status_t st;          /* the first error; then nothing more is added */
} plan_builder_t;

/* Add a tensor. @return its number; 0 after an error */
int plan_builder_tensor(plan_builder_t *b, cnn_role_t role, cnn_type_t type,
                        const int64_t size[4], const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Add a step of a layer. @param params  NULL: none; reads, writes: tensors up to -1 */
void plan_builder_step(plan_builder_t *b, cnn_op_t op, int layer,
                       const cnn_params_t *params, const int *reads, const int *writes);

/* @return the size of a layer's output for the whole batch, in `out` */
const int64_t *plan_builder_size(const plan_builder_t *b, int layer, int64_t out[4]);

/* Add the tensors of a batch norm that parts of a batch exchange: two values per channel
 * of this part, and those of all parts. @return these, and the layer's parameters */
typedef struct {
    int own, all;
    cnn_params_t params;
} plan_parts_t;

plan_parts_t plan_builder_parts(plan_builder_t *b, cnn_role_t role, int layer,
                                const char *prefix);

/* Add the steps of each part, in this order.  plan_forward_add fills in `layers`. */
void plan_forward_add(plan_builder_t *b);
void plan_backward_add(plan_builder_t *b);
void plan_update_add(plan_builder_t *b);

/* plan_place.c: place layers on the CPU, as the options say. @param program  in: all on
 * the device; out: if any are placed, another one @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t plan_place(const cnn_net_t *net, const cnn_plan_options_t *options,
                    cnn_program_t **program) MUST_CHECK;

/* plan_cost.c: operations and bytes of a step. */

/*
 * Fill in flops and bytes of a step.
 *
 * Products and sums of convolutions and linear layers are counted exactly, a
 * multiplication and an addition as two; padding counts as if it were multiplied, as
 * usual.  Of other steps the number of operations per element is approximate; roots,
 * powers and exponentials count as one.
 */
void plan_cost_fill(const cnn_program_t *program, cnn_step_t *step);
