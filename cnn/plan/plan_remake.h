/*
 * plan_remake.h - a program in the making, from another one of the same network.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/status.h"
#include "kernels/cnn/common/cnn_program.h"

/* Begins with `from` alone; n_forward, n_backward and copies_wait are the maker's. */
typedef struct {
    const cnn_program_t *from;
    buf_t tensors, steps; /* cnn_tensor_t, cnn_step_t */
    int n_tensors, n_steps;
    int n_forward, n_backward; /* as of cnn_program_t */
    bool copies_wait;
    status_t st; /* the first error; then nothing more is added */
} plan_remake_t;

/* Add a tensor. @return its number */
int plan_remake_tensor(plan_remake_t *r, const cnn_tensor_t *tensor);

/* Add a step, which names tensors by their new numbers. */
void plan_remake_step(plan_remake_t *r, const cnn_step_t *step);

/* Add a CNN_FETCH or CNN_EVICT, for a layer. */
void plan_remake_copy(plan_remake_t *r, cnn_op_t op, int layer, int read, int write);

/*
 * Make the program: where its tensors lie, what its steps cost, a copy of the names of
 * the layers.  What was added is gone afterwards.
 *
 * @param out  for cnn_program_destroy
 * @return ST_OK or ST_ENOMEM
 */
status_t plan_remake_end(plan_remake_t *r, cnn_program_t **out) MUST_CHECK;
