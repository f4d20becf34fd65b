/*
 * initial_values.h - what parameters and states are before training.
 *
 * Values are drawn as cnn_plan_start says.  A value follows from the seed, the
 * parameter's number among the program's parameters, and its place: every rank, device
 * and batch size gets the same.
 */
#pragma once

#include "cnn/plan/cnn_plan.h"
#include "io/base/pool.h"

/*
 * @param tensor  a parameter or state of the network's program
 * @param pool    draws them; NULL: the caller alone
 * @param out     [elements]
 */
void initial_values_draw(const cnn_net_t *net, const cnn_program_t *program, int tensor,
                         uint64_t seed, pool_t *pool, float *out);
