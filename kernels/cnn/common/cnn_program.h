/*
 * cnn_program.h - a network as one static list of steps on numbered tensors.
 *
 * cnn/plan makes it; backends run it, and the planner of memory, the tables of times and
 * energy and the tests read it.  A step names tensors by their numbers only, so that what
 * stands behind a number (an address on a device, memory of the host, another machine) is
 * the backend's or the memory manager's affair.
 */
#pragma once

#include "kernels/cnn/common/cnn_op.h"

#include <stddef.h>

typedef enum { CNN_F32, CNN_F64, CNN_BF16, CNN_I32 } cnn_type_t;

/* How products are computed where tensors are CNN_F32. */
typedef enum {
    CNN_STRICT, /* products and sums in 32 bits */
    CNN_TF32    /* factors rounded to 10 bits of mantissa, sums in 32 bits */
} cnn_math_t;

/* What a tensor is for; those up to CNN_OUTPUT live as long as the program. */
typedef enum {
    CNN_INPUT,      /* images, written before the first step */
    CNN_LABELS,     /* [n] CNN_I32, likewise */
    CNN_PARAMETER,  /* weights, biases, scales, shifts */
    CNN_STATE,      /* of the solver, running averages: saved with the parameters */
    CNN_OUTPUT,     /* loss, right answers, probabilities: read after the last step */
    CNN_ACTIVATION, /* from the step that writes it to the last that reads it */
    CNN_GRADIENT    /* likewise */
} cnn_role_t;

typedef struct {
    char name[48];   /* "conv1.weight": unique among parameters, states and outputs */
    int64_t size[4]; /* n, c, h, w; of weights out, in per group, h, w; unused ones 1 */
    cnn_type_t type;
    cnn_role_t role;
    int first_step, last_step; /* of ACTIVATION, GRADIENT: written first, read last */
    size_t offset;             /* of those two: in the arena; 256-byte aligned */
} cnn_tensor_t;

typedef struct {
    cnn_op_t op;
    cnn_params_t params;
    int layer; /* of the network, for messages and tables */
    int n_reads, n_writes;
    int reads[CNN_MAX_READS], writes[CNN_MAX_WRITES]; /* in the order of cnn_op.h */
    double flops; /* a multiplication and an addition are two */
    double bytes; /* read and written, each tensor once */
} cnn_step_t;

typedef struct {
    cnn_tensor_t *tensors;
    int n_tensors;
    cnn_step_t *steps;
    int n_steps;
    int n_forward, n_backward; /* steps [0, n_forward) are forward, then the backward
                                * ones, then the updates */
    const char **layers;       /* [n_layers] names */
    int n_layers;
    cnn_math_t math;
    size_t arena_bytes; /* memory of all activations and gradients */
} cnn_program_t;

/* @return bytes of an element */
size_t cnn_type_bytes(cnn_type_t type);
/* @return the number of elements, and their bytes */
int64_t cnn_tensor_n(const cnn_tensor_t *t);
size_t cnn_tensor_bytes(const cnn_tensor_t *t);

/* Free a program whose layers' names are in one allocation with the pointers to them.
 * Takes NULL. */
void cnn_program_destroy(cnn_program_t *program);

/* Elements of any type as doubles. */

/* @return x rounded to the nearest number of a type; CNN_BF16 through CNN_F32 */
double cnn_value_round(cnn_type_t type, double x);

/* Convert n elements of a type to doubles, and back (rounding). */
void cnn_value_load(cnn_type_t type, int64_t n, const void *from, double *to);
void cnn_value_store(cnn_type_t type, int64_t n, const double *from, void *to);
