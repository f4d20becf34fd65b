/*
 * subset.h - states of a group of patterns as sets of their positions, and what follows
 * them: the steps of the subset construction.
 *
 * Positions of the group are numbered one after the other.  A last one stands for the
 * begin of a record: the state there has only it, if any pattern begins only there.
 */
#pragma once

#include "io/automata/nfa.h"
#include "io/base/buf.h"

typedef struct {
    int64_t n_positions; /* of the group */
    int64_t n_words;     /* of a set, with the begin of a record */
    int64_t n_patterns;
    int64_t n_output_words; /* of an output: two bits per pattern */
    int32_t *position;      /* [n_positions] number over all patterns */
    int32_t *member;        /* [n_positions] its pattern's number within the group */
    uint64_t *follow;       /* [n_positions + 1][n_words] */
    uint64_t *starts;       /* [n_words] may follow any state */
    uint64_t *accepts;      /* [n_words] that have a role at an end */
    uint64_t *consume;      /* [n_classes][n_words] */
    const uint8_t *role;    /* of all positions; borrowed */
    bool has_begins;        /* a pattern may start only where a record begins */
    bool has_starts;        /* a pattern may start anywhere */
    int32_t n_classes;
    uint8_t class_of[256];
} subset_t;

/*
 * Prepare a group.
 *
 * @param patterns  [n] ascending
 * @param out       freed by subset_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t subset_create(const nfa_t *nfa, const int32_t *patterns, int64_t n,
                       subset_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void subset_free(subset_t *s);

/* Set the state where a record begins, or within a record where nothing is live. */
void subset_begin(const subset_t *s, bool is_record, uint64_t *out);

/* Set the positions that may consume the byte behind a state. */
void subset_follow(const subset_t *s, const uint64_t *state, uint64_t *out);

/* Set the state that a class of bytes leads to, from the positions that may consume. */
static inline void subset_move(const subset_t *s, const uint64_t *follow,
                               int32_t byte_class, uint64_t *out)
{
    const uint64_t *consume = s->consume + byte_class * s->n_words;

    for (int64_t w = 0; w < s->n_words; w++)
        out[w] = follow[w] & consume[w];
}

/* @return how many positions a state has */
int64_t subset_count_live(const subset_t *s, const uint64_t *state);

/* List the positions of a state, as they are numbered over all patterns, ascending. */
void subset_list_live(const subset_t *s, const uint64_t *state, int32_t *out);

/* Set what is found when a state is entered: bit 2k for the k-th pattern of the group,
 * bit 2k + 1 if it is found only at the end of a record. @return whether there is any */
bool subset_output(const subset_t *s, const uint64_t *state, uint64_t *out);
