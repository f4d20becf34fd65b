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

/* The same of several tensors, in the background: by threads of the pool that nothing
 * else needs. */
typedef struct initial_values initial_values_t;

/* @param tensors  [n] numbers in the program @param out  the caller's, also before all
 * are drawn @return ST_OK or ST_ENOMEM */
status_t initial_values_begin(const cnn_net_t *net, const cnn_program_t *program,
                              const int *tensors, int n, uint64_t seed, pool_t *pool,
                              initial_values_t **out) MUST_CHECK;

/* Wait for all of them. @return the values of tensor k of these; NULL: all are 0 */
const float *initial_values_of(initial_values_t *v, int k);

/* Waits, too.  Takes NULL. */
void initial_values_destroy(initial_values_t *v);
