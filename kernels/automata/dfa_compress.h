/*
 * dfa_compress.h - automata with default transitions (A-DFA, Becchi and Crowley).
 *
 * A state keeps the cells in which it differs from its default, a state of an earlier
 * level: the number of bytes that lead there from a begin.  A byte goes up by a level at
 * most, and each default goes down, so that n bytes take at most 2 n + 1 look-ups.
 */
#pragma once

#include "io/automata/dfa_set.h"
#include "io/base/pool.h"

typedef enum { DFA_RULE_SKIP, DFA_RULE_WITHIN, DFA_N_RULES } dfa_rule_t;

/* As on the command line. */
extern const char *const dfa_rule_name[DFA_N_RULES];

/* Which states of earlier levels may be the default of a state. */
typedef struct {
    dfa_rule_t rule;
    int64_t d; /* at least 1; the levels between them are at least d (skip), or at most d
                * (within) */
} dfa_compress_t;

/*
 * Compress automata.
 *
 * The default of a state is the one with most equal transitions, by class of bytes, and
 * of these the one with the lowest number; it has to have two of them at least.
 *
 * @param d     not compressed yet
 * @param pool  threads, on which nothing depends, or NULL
 * @return ST_OK or ST_ENOMEM (logged; the automata are as before)
 */
status_t dfa_compress(dfa_set_t *d, const dfa_compress_t *how, pool_t *pool) MUST_CHECK;
