/*
 * plan_summary.h - totals of a program.
 */
#ifndef RIBOGRID_CNN_PLAN_PLAN_SUMMARY_H
#define RIBOGRID_CNN_PLAN_PLAN_SUMMARY_H

#include "kernels/cnn/common/cnn_program.h"

typedef enum { PLAN_FORWARD, PLAN_BACKWARD, PLAN_UPDATE, PLAN_N_PARTS } plan_part_t;

typedef struct {
    double flops, bytes; /* of a batch */
    int n_steps;
} plan_cost_t;

typedef struct {
    int64_t n_parameters;
    size_t parameter_bytes, state_bytes; /* CNN_PARAMETER, CNN_STATE */
    size_t batch_bytes;                  /* images, labels, outputs */
    size_t arena_bytes;                  /* activations and gradients */
    plan_cost_t parts[PLAN_N_PARTS];
    plan_cost_t kinds[CNN_N_KINDS];
} plan_summary_t;

/* @return the part of the program that a step belongs to, and its name */
plan_part_t plan_summary_part(const cnn_program_t *program, int step);
const char *plan_summary_part_name(plan_part_t part);

plan_summary_t plan_summary_of(const cnn_program_t *program);

/* @return bytes of a batch and everything else that the program keeps in memory */
size_t plan_summary_bytes(const plan_summary_t *summary);

#endif
