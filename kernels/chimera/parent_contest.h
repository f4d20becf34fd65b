/*
 * parent_contest.h - chooses the two parents of a read among candidates, as UCHIME does
 * (Edgar, Haas, Clemente, Quince and Knight 2011, Bioinformatics 27:2194).
 *
 * A window of CONTEST_WINDOW bases of the read is won by the candidates with the most
 * matching bases in it, if there are any.  The first parent is the candidate that wins
 * the most windows.  Then all bases in windows that it has won count as mismatches, and
 * the second parent is chosen among the other candidates in the same way.  Of candidates
 * that win equally many windows the first one is taken.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { CONTEST_WINDOW = 32 };

/* A candidate, aligned to the read as a whole. */
typedef struct {
    const uint8_t *letters; /* codes of DNA */
    const uint32_t *runs;   /* [n_runs] of cigar.h, all bases of the read and of it */
    int64_t n_runs;
} contest_candidate_t;

/*
 * Choose the parents.
 *
 * @param read        [len] codes of DNA
 * @param candidates  [n]
 * @param scratch     grows on demand
 * @param parents     out: their indices, if there are two
 * @param found       out: whether there are
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t parent_contest(const uint8_t *read, int64_t len,
                        const contest_candidate_t *candidates, int n, buf_t *scratch,
                        int parents[2], bool *found) MUST_CHECK;
