/*
 * plan_arena.h - where activations and gradients lie in memory.
 */
#ifndef RIBOGRID_CNN_PLAN_PLAN_ARENA_H
#define RIBOGRID_CNN_PLAN_PLAN_ARENA_H

#include "io/base/status.h"
#include "kernels/cnn/common/cnn_program.h"

#include <stdbool.h>

/* @return whether a tensor is in the arena */
bool plan_arena_has(const cnn_tensor_t *tensor);

/*
 * Fill in the lifetimes and offsets of a program's tensors, and the size of its arena.
 *
 * The largest tensors come first; each goes to the smallest gap between those that live
 * at the same time and hold it (greedy by size, best fit).
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t plan_arena_place(cnn_program_t *program) MUST_CHECK;

/* @return bytes of the tensors that live at a step */
size_t plan_arena_live(const cnn_program_t *program, int step);

#endif
