/*
 * dfa_group.h - divides patterns into groups whose automata are within a budget.
 *
 * A group has as many of the next patterns as fit.  A pattern that does not fit alone is
 * in no group: engines run it as bits.
 */
#pragma once

#include "io/base/pool.h"
#include "kernels/automata/dfa_build.h"

/* Patterns are divided into blocks of this many first, which are grouped in parallel. */
enum { DFA_GROUP_BLOCK = 512 };

/*
 * Group patterns, and build and minimise the automaton of each group.
 *
 * The groups do not depend on the number of threads.
 *
 * @param limits  of each group
 * @param out     freed by dfa_set_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t dfa_group_all(const nfa_t *nfa, const dfa_limits_t *limits, pool_t *pool,
                       dfa_set_t *out) MUST_CHECK;
