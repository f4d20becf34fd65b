/*
 * chimera_entry.h - what a task finds out about a read: the best hits of its quarters,
 * and the alignments of the read with these targets.
 *
 * An entry is a sequence of 32-bit words:
 *
 *     words of the entry
 *     for each quarter: number of hits, their targets, the best first
 *     number of candidates; for each, in ascending order: target, number of runs, runs
 *
 * Candidates are the targets that are hits of any quarter; runs are those of cigar.h, of
 * the whole read and the whole target.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CHIMERA_QUARTERS = 4,
    CHIMERA_PARENTS = 4, /* hits of a quarter that may be parents */
    CHIMERA_HITS_MAX = 2 * CHIMERA_PARENTS, /* that are kept of a quarter */
    CHIMERA_CANDIDATES_MAX = CHIMERA_QUARTERS * CHIMERA_HITS_MAX
};

/* A read entry; it points into the words. */
typedef struct {
    struct {
        const uint32_t *target;
        int n;
    } hits[CHIMERA_QUARTERS];
    struct {
        uint32_t target;
        const uint32_t *runs;
        int64_t n_runs;
    } candidate[CHIMERA_CANDIDATES_MAX];
    int n_candidates;
    size_t n_words;
} chimera_entry_t;

/* Begin an entry at the end of `out`: write its hits.
 * @param targets  [CHIMERA_QUARTERS][CHIMERA_HITS_MAX] @param n  [CHIMERA_QUARTERS]
 * @param start    out: where it begins, for the calls below
 * @return ST_OK or ST_ENOMEM (logged) */
status_t chimera_entry_begin(const int32_t *targets, const int *n, int n_candidates,
                             buf_t *out, size_t *start) MUST_CHECK;

/* Append a candidate. @return ST_OK or ST_ENOMEM (logged) */
status_t chimera_entry_add(int32_t target, const uint32_t *runs, int64_t n_runs,
                           buf_t *out) MUST_CHECK;

/* End it: count its words. */
void chimera_entry_end(size_t start, buf_t *out);

/*
 * Find the parts of an entry.
 *
 * @param words  [n_words] an entry and what follows
 * @return whether it is one: numbers are possible, and candidates are the hits
 */
bool chimera_entry_read(const uint32_t *words, size_t n_words, chimera_entry_t *out);

/* @return whether runs consume exactly these bases */
bool chimera_entry_runs_fit(const uint32_t *runs, int64_t n_runs, int64_t read_len,
                            int64_t target_len);
