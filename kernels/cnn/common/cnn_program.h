/*
 * cnn_program.h - a network as one static list of steps on numbered tensors.
 *
 * cnn/plan makes it; backends run it, and the planner of memory, the tables of times and
 * energy and the tests read it.  A step names tensors by their numbers only, so that what
 * stands behind a number (an address on a device, memory of the host, another machine) is
 * the backend's or the memory manager's affair.
 *
 * All tensors lie in one arena on the device, at offsets that are planned ahead: two may
 * share memory that are never there at the same step.  cnn/memory makes programs for less
 * memory: tensors then leave for a swap area in the host's memory and come back, which
 * are steps, too, or forward steps compute them again.  Each stay of a tensor in the
 * arena is a tensor of its own, and so is its copy in the swap area.  A part of a tensor,
 * some of its elements in their order, is a tensor, too, which lies in the whole one.
 *
 * Steps of layers that are placed on the host run there, on tensors of the swap area;
 * what they share with steps on the device are two tensors, with copies between them.
 */
#pragma once

#include "kernels/cnn/common/cnn_op.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum { CNN_F32, CNN_F64, CNN_BF16, CNN_I32 } cnn_type_t;

/* How products are computed where tensors are CNN_F32. */
typedef enum {
    CNN_STRICT, /* products and sums in 32 bits */
    CNN_TF32    /* factors rounded to 10 bits of mantissa, sums in 32 bits */
} cnn_math_t;

/* What a tensor is for; those up to CNN_OUTPUT live as long as the program, which runs
 * again and again. */
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
    int part_of;               /* 1 + the tensor that it is a part of; 0: none */
    int64_t part_first;        /* its first element there */
    bool on_host;              /* in the swap area; named by FETCH, EVICT and steps on the
                                * host alone */
    int first_step, last_step; /* it is in memory; first > last: from first_step to the
                                * end, and up to last_step when the program runs again */
    size_t offset;             /* in the arena, or the swap area; 256-byte aligned, but
                                * for parts in the swap area */
} cnn_tensor_t;

typedef struct {
    cnn_op_t op;
    cnn_params_t params;
    int layer;    /* of the network, for messages and tables */
    bool on_host; /* the CPU runs it, whatever the device is: all its tensors are in the
                   * swap area; never of a copy */
    int n_reads, n_writes;
    int reads[CNN_MAX_READS], writes[CNN_MAX_WRITES]; /* in the order of cnn_op.h */
    double flops; /* a multiplication and an addition are two */
    double bytes; /* read and written, each tensor once */
} cnn_step_t;

/* @return the i-th tensor of a step: of those that it reads, then of those it writes */
static inline int cnn_step_tensor(const cnn_step_t *s, int i)
{
    return i < s->n_reads ? s->reads[i] : s->writes[i - s->n_reads];
}

/* @return whether a step writes a tensor; whether it reads or writes it */
static inline bool cnn_step_writes(const cnn_step_t *s, int tensor)
{
    for (int i = 0; i < s->n_writes; i++)
        if (s->writes[i] == tensor)
            return true;
    return false;
}

static inline bool cnn_step_uses(const cnn_step_t *s, int tensor)
{
    for (int i = 0; i < s->n_reads; i++)
        if (s->reads[i] == tensor)
            return true;
    return cnn_step_writes(s, tensor);
}

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
    size_t arena_bytes; /* memory of all tensors but those of the swap area */
    size_t swap_bytes;  /* memory of these; 0: nothing leaves the arena */
    int n_lanes; /* that a GPU may have for it, whatever is divided; 0: by its steps */
    bool copies_wait; /* fetch and evict run in the order of the steps, not beside them */
} cnn_program_t;

/* @return whether steps are placed on the CPU beside the device */
static inline bool cnn_program_uses_cpu(const cnn_program_t *p)
{
    for (int s = 0; s < p->n_steps; s++)
        if (p->steps[s].on_host)
            return true;
    return false;
}

/* @return whether a step computes again what one of the forward steps has computed */
static inline bool cnn_program_repeats(const cnn_program_t *p, int step)
{
    return step >= p->n_forward && cnn_op_may_repeat(p->steps[step].op);
}

/* @return whether a tensor lives as long as the program, wherever it is */
static inline bool cnn_tensor_lasts(const cnn_tensor_t *t)
{
    return t->role <= CNN_OUTPUT;
}

/* @return whether a step is one of those from `first` to `last`, or, where first > last,
 * to the end and from the beginning */
static inline bool cnn_steps_have(int first, int last, int step)
{
    return first <= last ? first <= step && step <= last : first <= step || step <= last;
}

/* @return whether a tensor is in memory at a step */
static inline bool cnn_tensor_lives(const cnn_tensor_t *t, int step)
{
    return cnn_steps_have(t->first_step, t->last_step, step);
}

/* @return whether two tensors are in one memory at the same step */
static inline bool cnn_tensors_meet(const cnn_tensor_t *a, const cnn_tensor_t *b)
{
    return a->on_host == b->on_host &&
           (cnn_tensor_lives(a, b->first_step) || cnn_tensor_lives(b, a->first_step));
}

/* @return the tensor that one is a part of, or itself */
static inline int cnn_program_whole(const cnn_program_t *p, int tensor)
{
    return p->tensors[tensor].part_of > 0 ? p->tensors[tensor].part_of - 1 : tensor;
}

/* @return whether a tensor's memory is another one's after a step */
static inline bool cnn_program_leaves(const cnn_program_t *p, int tensor, int step)
{
    const cnn_tensor_t *t = &p->tensors[tensor];

    return t->last_step == step && t->part_of == 0 &&
           (!cnn_tensor_lasts(t) || t->last_step < t->first_step);
}

/* @return bytes of an element */
size_t cnn_type_bytes(cnn_type_t type);
/* @return the number of elements, and their bytes */
int64_t cnn_tensor_n(const cnn_tensor_t *t);
size_t cnn_tensor_bytes(const cnn_tensor_t *t);
/* @return the bytes that it takes in the arena: up to the next tensor's offset */
size_t cnn_tensor_room(const cnn_tensor_t *t);

/* Free a program whose layers' names are in one allocation with the pointers to them.
 * Takes NULL. */
void cnn_program_destroy(cnn_program_t *program);

/* Elements of any type as doubles. */

/* @return x rounded to the nearest number of a type; CNN_BF16 through CNN_F32 */
double cnn_value_round(cnn_type_t type, double x);

/* Convert n elements of a type to doubles, and back (rounding). */
void cnn_value_load(cnn_type_t type, int64_t n, const void *from, double *to);
void cnn_value_store(cnn_type_t type, int64_t n, const double *from, void *to);
