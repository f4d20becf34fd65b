/*
 * plan_summary.h - totals of a program.
 */
#pragma once

#include "io/base/status.h"
#include "kernels/cnn/common/cnn_program.h"

#include <stdbool.h>

/* plan_arena.c: where tensors lie in memory. */

/* @return whether a tensor is an activation or gradient, which share memory */
bool plan_arena_has(const cnn_tensor_t *tensor);

/*
 * Fill in the lifetimes and offsets of a program's tensors, and the sizes of its arena
 * and its swap area.
 *
 * Tensors that last are behind each other.  Of all others the largest come first; each
 * goes to the smallest gap between those that live at the same time and hold it (greedy
 * by size, best fit).
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t plan_arena_place(cnn_program_t *program) MUST_CHECK;

/* @return bytes of the activations and gradients that are in the arena at a step */
size_t plan_arena_live(const cnn_program_t *program, int step);

typedef enum { PLAN_FORWARD, PLAN_BACKWARD, PLAN_UPDATE, PLAN_N_PARTS } plan_part_t;

typedef struct {
    double flops, bytes; /* of a batch */
    int n_steps;
} plan_cost_t;

typedef struct {
    int64_t n_parameters;
    size_t parameter_bytes, state_bytes; /* CNN_PARAMETER, CNN_STATE */
    size_t batch_bytes;                  /* images, labels, outputs */
    size_t shared_bytes;                 /* activations and gradients */
    size_t arena_bytes;                  /* all of these */
    size_t host_bytes;                   /* what is placed on the CPU, not among these */
    plan_cost_t parts[PLAN_N_PARTS];
    plan_cost_t kinds[CNN_N_KINDS];
} plan_summary_t;

/* @return the part of the program that a step belongs to, and its name */
plan_part_t plan_summary_part(const cnn_program_t *program, int step);
const char *plan_summary_part_name(plan_part_t part);

plan_summary_t plan_summary_of(const cnn_program_t *program);
