/*
 * dfa_set.h - deterministic automata of groups of patterns.
 *
 * Bytes are mapped to classes, and a state has a row of the next states by class.  State
 * 0 of a group is where a record begins.  Numbers of states are those within a group,
 * but arrays over states are those of all groups, one after the other.
 *
 * Compressed automata (A-DFA) have cells of some classes only: what a state lacks is as
 * in its default, a state with a lower number.
 */
#pragma once

#include "io/automata/nfa.h"

typedef struct {
    int64_t n_patterns, n_groups, n_states, n_cells, n_live, n_outputs, n_listed;
    int32_t *group;       /* [n_patterns] of a pattern; -1: it has no automaton here */
    uint8_t *class_of;    /* [n_groups][256] */
    int32_t *n_classes;   /* [n_groups] 1 .. 256 */
    int32_t *middle;      /* [n_groups] the state within a record where nothing is live;
                           * -1: nothing can start there */
    int64_t *first_state; /* [n_groups + 1] */
    int32_t *next;        /* [n_cells] state by state, class by class */
    int64_t *first_cell;  /* [n_states + 1] this and the next two: of compressed automata,
                           * else NULL */
    int32_t *fallback;    /* [n_states] defaults; -1: the row is whole */
    uint8_t *cell_class;  /* [n_cells] ascending within a state */
    int32_t *output;      /* [n_states] what is found when a state is entered; output 0 is
                           * nothing */
    int64_t *first_live;  /* [n_states + 1] */
    int32_t *live; /* [n_live] positions that a state stands for: another engine goes on
                    * from them */
    int64_t *first_listed; /* [n_outputs + 1] */
    int32_t *listed;       /* [n_listed] patterns, ascending: dfa_listed() */
} dfa_set_t;

extern const arrays_t dfa_set_arrays;

/* A pattern in an output: found anywhere, or only at the end of a record. */
static inline int32_t dfa_listed(int32_t pattern, bool at_end)
{
    return pattern * 2 + at_end;
}

static inline int32_t dfa_listed_pattern(int32_t listed)
{
    return listed / 2;
}

static inline bool dfa_listed_at_end(int32_t listed)
{
    return listed % 2 != 0;
}

static inline bool dfa_set_is_compressed(const dfa_set_t *d)
{
    return d->first_cell != NULL;
}

/* @return bytes of what leads from state to state */
static inline int64_t dfa_set_bytes(const dfa_set_t *d)
{
    const int64_t cells = d->n_cells * (int64_t)sizeof(*d->next);

    return !dfa_set_is_compressed(d)
               ? cells
               : cells + d->n_cells + d->n_states * (int64_t)sizeof(*d->fallback) +
                     (d->n_states + 1) * (int64_t)sizeof(*d->first_cell);
}

/* @param first       its patterns are those from `first` on
 * @param pattern_of  [n_positions] the pattern of each position
 * @return NULL, or why these are no automata of the patterns: of a file, or a log */
const char *dfa_set_misfit(const dfa_set_t *d, const nfa_t *nfa, int64_t first,
                           const int32_t *pattern_of);

/* Takes a zeroed one, too. */
void dfa_set_free(dfa_set_t *d);
