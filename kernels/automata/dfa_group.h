/*
 * dfa_group.h - divides patterns into groups whose automata are within a budget.
 *
 * A group has as many of the next patterns as fit.  A pattern that does not fit alone is
 * in no group: engines run it as bits.
 */
#pragma once

#include "kernels/automata/dfa_build.h"

/* Patterns are divided into blocks of this many first, which are grouped in parallel. */
enum { DFA_GROUP_BLOCK = 512 };

static inline int64_t dfa_group_n_blocks(const nfa_t *nfa)
{
    return (nfa->n_patterns + DFA_GROUP_BLOCK - 1) / DFA_GROUP_BLOCK;
}

/* @return the first pattern of a block; @param n  out: how many it has */
static inline int64_t dfa_group_patterns(const nfa_t *nfa, int64_t block, int64_t *n)
{
    const int64_t first = block * DFA_GROUP_BLOCK, left = nfa->n_patterns - first;

    *n = left < DFA_GROUP_BLOCK ? left : DFA_GROUP_BLOCK;
    return first;
}

/*
 * Group the patterns of a block, and build and minimise the automaton of each group.
 *
 * The groups depend neither on the builder nor on the number of threads.
 *
 * @param first, n  patterns first .. first + n - 1
 * @param limits    of each group
 * @param out       of n patterns; freed by dfa_set_free
 * @return ST_OK, or an error of the builder
 */
status_t dfa_group_block(const nfa_t *nfa, int64_t first, int64_t n,
                         const dfa_limits_t *limits, const dfa_builder_t *builder,
                         dfa_set_t *out) MUST_CHECK;

/*
 * Group all patterns, by blocks.
 *
 * @param pool  threads, on which nothing depends, or NULL
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t dfa_group_all(const nfa_t *nfa, const dfa_limits_t *limits, pool_t *pool,
                       dfa_set_t *out) MUST_CHECK;
