/*
 * dfa_join.h - joins sets of automata, of patterns that follow each other.
 */
#pragma once

#include "kernels/automata/dfa_build.h"

/* A set in the making; zeroed at first. */
typedef struct {
    buf_t group, class_of, n_classes, middle, first_state, next, output, first_live, live,
        first_listed, listed; /* arrays of dfa_set_t */
    dfa_set_t set;            /* its counts */
} dfa_joiner_t;

/* Add an automaton as a group. @return ST_OK or ST_ENOMEM (logged) */
status_t dfa_join_one(dfa_joiner_t *j, const dfa_t *d) MUST_CHECK;

/* Add the group of the next pattern; -1: it has none. */
status_t dfa_join_pattern(dfa_joiner_t *j, int32_t group) MUST_CHECK;

/* Add the groups of a set, which is not compressed, and its patterns. */
status_t dfa_join_set(dfa_joiner_t *j, const dfa_set_t *d) MUST_CHECK;

/*
 * End a set.
 *
 * @param st   of what was added before; if it is an error, it is returned
 * @param out  freed by dfa_set_free; the joiner is freed in any case
 */
status_t dfa_join_finish(dfa_joiner_t *j, status_t st, dfa_set_t *out) MUST_CHECK;
