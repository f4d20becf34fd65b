/*
 * nfa.h - patterns as position automata (Glushkov), the form that all engines start from.
 *
 * A position is a place of a pattern that consumes one byte out of a set.  A pattern is
 * found where positions follow each other from one that may start to one that accepts;
 * its matches are the ends of all non-empty texts that it describes.  Positions of a
 * pattern are neighbors, and numbers of positions count over all patterns.
 */
#pragma once

#include "io/automata/byte_set.h"
#include "io/base/arrays.h"

enum {
    NFA_STARTS = 1,   /* a match may start here, anywhere */
    NFA_BEGINS = 2,   /* a match may start here at the begin of a record */
    NFA_ACCEPTS = 4,  /* a match may end here, anywhere */
    NFA_FINISHES = 8, /* a match may end here at the end of a record, or before the line
                       * feed that ends it */
    NFA_ROLES = 15
};

/* Limits of one pattern. */
enum { NFA_MAX_POSITIONS = 1 << 14, NFA_MAX_EDGES = 1 << 22 };

typedef struct {
    int64_t n_patterns, n_positions, n_edges;
    char **name;         /* [n_patterns] as the input has them */
    int64_t *first;      /* [n_patterns + 1] positions of a pattern */
    byte_set_t *set;     /* [n_positions] bytes that it consumes */
    uint8_t *role;       /* [n_positions] NFA_STARTS, ... */
    int64_t *first_edge; /* [n_positions + 1] edges of a position */
    int32_t *next;       /* [n_edges] positions that may follow, ascending */
} nfa_t;

extern const arrays_t nfa_arrays;

/* @return NULL, or why these automata are impossible: of a file or a peer */
const char *nfa_misfit(const nfa_t *nfa);

/* List the pattern of each position.
 * @param out  [n_positions] freed by the caller @return ST_OK or ST_ENOMEM (logged) */
status_t nfa_list_patterns(const nfa_t *nfa, int32_t **out) MUST_CHECK;

/* Takes a zeroed one, too. */
void nfa_free(nfa_t *nfa);

/* Automata in the making; zeroed at first. */
typedef struct {
    buf_t names, first, set, role, first_edge, next; /* arrays of nfa_t */
    int64_t n_patterns, n_positions, n_edges;
} nfa_builder_t;

/* Add a position to the current pattern. @return ST_OK or ST_ENOMEM (logged) */
status_t nfa_builder_position(nfa_builder_t *b, const byte_set_t *set,
                              int role) MUST_CHECK;

/* Add an edge to a position that was added last.
 * @param next  number within the pattern */
status_t nfa_builder_edge(nfa_builder_t *b, int32_t next) MUST_CHECK;

/* End the current pattern. */
status_t nfa_builder_end(nfa_builder_t *b, const char *name) MUST_CHECK;

/* @param out  freed by nfa_free; the builder is freed in any case */
status_t nfa_builder_finish(nfa_builder_t *b, nfa_t *out) MUST_CHECK;

void nfa_builder_free(nfa_builder_t *b);
