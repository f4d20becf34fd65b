/*
 * scan_tables.h - patterns as bits behind a filter: what the backends `nfa` scan with.
 *
 * A pattern that comes to a loop over nearly all bytes, as .* is, waits there without
 * being stepped.  The points of the filter are where patterns may start, or leave such a
 * loop.
 */
#pragma once

#include "kernels/automata/nfa_bits.h"
#include "kernels/automata/start_filter.h"

typedef struct {
    nfa_bits_t bits;
    start_filter_t filter;
    uint64_t *loops;     /* [n_state_words] positions of loops that patterns wait in */
    uint64_t *exits;     /* [n_exit_words] what may follow a point */
    int64_t *exit;       /* [n_points] its first word in `exits` */
    int32_t *pattern_of; /* [n_positions] */
    int64_t n_loops, n_exit_words;
} scan_tables_t;

/*
 * Make the tables.
 *
 * @param nfa    borrowed
 * @param group  [n_patterns] patterns that have one do not start; NULL: all start
 * @param out    freed by scan_tables_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t scan_tables_create(const nfa_t *nfa, const int32_t *group,
                            scan_tables_t *out) MUST_CHECK;

/* Takes zeroed ones, too. */
void scan_tables_free(scan_tables_t *t);

/* @return the bit of a position in a state of all patterns */
static inline int64_t scan_tables_bit(const scan_tables_t *t, int32_t position)
{
    const int32_t pattern = t->pattern_of[position];

    return t->bits.pattern[pattern].state * 64 + position - t->bits.nfa->first[pattern];
}
