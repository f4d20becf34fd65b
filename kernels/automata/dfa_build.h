/*
 * dfa_build.h - the deterministic automaton of a group of patterns.
 */
#pragma once

#include "io/automata/dfa_set.h"
#include "kernels/automata/subset_backend.h"

/* An automaton; arrays as in dfa_set_t. */
typedef struct {
    int32_t n_states, n_classes, n_outputs;
    int32_t middle; /* the state within a record where nothing is live; -1: nothing starts
                     * there */
    uint8_t class_of[256];
    buf_t next;         /* int32_t [n_states][n_classes] */
    buf_t output;       /* int32_t [n_states] */
    buf_t first_live;   /* int64_t [n_states + 1] */
    buf_t live;         /* int32_t */
    buf_t first_listed; /* int64_t [n_outputs + 1] */
    buf_t listed;       /* int32_t */
} dfa_t;

/* How large an automaton may be. */
typedef struct {
    int64_t max_states;
    int64_t max_bytes; /* of its states, while it is built */
} dfa_limits_t;

/* @return bytes that building a group takes, at most */
double dfa_limits_bytes(const dfa_limits_t *limits);

/* What finds the states of automata: of one thread at a time, unless it is `serial`. */
typedef struct {
    const subset_backend_t *backend;
    void *state;
    pool_t *pool;      /* threads that may help, or NULL */
    const int *cancel; /* as in align_run_t; building then ends with ST_ESTOPPED */
} dfa_builder_t;

/* A builder that every thread may use. */
extern const dfa_builder_t dfa_builder_serial;

/*
 * Build an automaton by the subset construction.
 *
 * @param patterns  [n] ascending
 * @param fits      out: whether it is within the limits; else there is no automaton
 * @param out       freed by dfa_free
 * @return ST_OK, or an error of the builder
 */
status_t dfa_build(const dfa_builder_t *b, const nfa_t *nfa, const int32_t *patterns,
                   int64_t n, const dfa_limits_t *limits, bool *fits,
                   dfa_t *out) MUST_CHECK;

/*
 * Minimise an automaton, and number its states and classes as the bytes 0, 1, 2 ... first
 * lead to them, so that equal languages give equal automata.
 *
 * @return ST_OK, or an error of the builder
 */
status_t dfa_minimise(const dfa_builder_t *b, dfa_t *d) MUST_CHECK;

/* Takes a zeroed one, too. */
void dfa_free(dfa_t *d);

static inline int32_t *dfa_next(const dfa_t *d, int32_t state)
{
    return (int32_t *)(void *)d->next.data + (int64_t)state * d->n_classes;
}

static inline int32_t dfa_output(const dfa_t *d, int32_t state)
{
    return ((const int32_t *)(const void *)d->output.data)[state];
}
