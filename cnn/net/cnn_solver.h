/*
 * cnn_solver.h - how a network is trained: the section [solver] of its text.
 *
 * Rates change with the time t, which counts epochs with their fractions, so that a
 * policy means the same for every batch size and number of images:
 *
 *   fixed    rate                              poly     rate (1 - t / epochs)^power
 *   step     rate gamma^floor(t / step)        inv      rate (1 + gamma t)^-power
 *   exp      rate gamma^t                      cosine   rate (1 + cos(pi t / epochs)) / 2
 */
#ifndef RIBOGRID_CNN_NET_CNN_SOLVER_H
#define RIBOGRID_CNN_NET_CNN_SOLVER_H

#include "cnn/net/net_key.h"

typedef enum { CNN_SOLVER_SGD, CNN_SOLVER_ADAM } cnn_solver_type_t;

typedef enum {
    CNN_RATE_FIXED,
    CNN_RATE_STEP,
    CNN_RATE_EXP,
    CNN_RATE_INV,
    CNN_RATE_POLY,
    CNN_RATE_COSINE
} cnn_rate_policy_t;

typedef struct {
    cnn_solver_type_t type;
    double rate, bias_rate; /* bias_rate: of biases, times the rate */
    double momentum, decay;
    double beta1, beta2, epsilon; /* CNN_SOLVER_ADAM */
    cnn_rate_policy_t policy;
    double gamma, power, step; /* step in epochs */
    double epochs;             /* length of the training; may end within an epoch */
    int batch;                 /* images per iteration, on all ranks */
} cnn_solver_t;

/* SGD with rate 0.01, momentum 0.9, no decay; 10 epochs, batches of 64. */
extern const cnn_solver_t cnn_solver_defaults;

/* The keys of [solver], at their places in cnn_solver_t; the last has no name. */
extern const net_key_t cnn_solver_keys[];

/*
 * Refuse parameters that the solver or its policy does not have, and a policy without
 * those that it needs.
 *
 * @param given  bit i: key i of cnn_solver_keys was given
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t cnn_solver_check(const net_source_t *source, const cnn_solver_t *solver,
                          uint64_t given) MUST_CHECK;

/* @param t  epochs before this iteration, from 0 to epochs
 * @return the rate of learning */
double cnn_solver_rate(const cnn_solver_t *solver, double t);

#endif
