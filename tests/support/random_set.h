/*
 * random_set.h - what tests compare kernels on: random families of sequences, pairs of
 * them, and the specs under which they are aligned.
 *
 * A family descends from one sequence of all four bases, of two or of one, at times in
 * long runs; its members keep 0-100 % of it, some of them only a piece.  Families of
 * different bases share nothing.
 */
#ifndef RIBOGRID_TESTS_SUPPORT_RANDOM_SET_H
#define RIBOGRID_TESTS_SUPPORT_RANDOM_SET_H

#include "io/base/rng.h"
#include "kernels/align/engine/aligner.h"

#include <stddef.h>

/* With sanitizers, which are slow and see the same in fewer pairs, a part is tried. */
#ifdef __SANITIZE_ADDRESS__
enum { RANDOM_SET_DIVISOR = 5 };
#else
enum { RANDOM_SET_DIVISOR = 1 };
#endif

typedef struct {
    int64_t n;
    int64_t len_min, len_max; /* letters of a sequence, 1 <= len_min <= len_max */
    int ambiguous_percent;    /* families in which some letters are IUPAC codes */
} random_set_opts_t;

/* Make a set. @return ST_OK or ST_ENOMEM; the set is the caller's */
status_t random_set_create(rng_t *rng, const random_set_opts_t *opts,
                           seqset_t **out) MUST_CHECK;

/*
 * Make a set as written: a letter is itself, or with a number behind it that many of it;
 * blanks divide sequences.  "AC A300" is two, of 2 and of 300 letters.
 *
 * @return ST_OK or ST_ENOMEM; the set is the caller's
 */
status_t random_set_spell(const char *text, seqset_t **out) MUST_CHECK;

/* Draw pairs, half of them within a family. @param out  [n] */
void random_set_pairs(rng_t *rng, const seqset_t *set, int64_t n, pair_t *out);

/* Scores -20..20 a pair of letters, symmetric, a letter's own the best of its row. */
void random_set_matrix(rng_t *rng, score_matrix_t *out);

/* Specs 0 .. RANDOM_SET_SPECS-1: each of five scorings, of free and of counted ends and
 * of the ambiguity modes with each other; behind them those where the query's ends count.
 */
enum { RANDOM_SET_SPECS = 30, RANDOM_SET_ALL_SPECS = 45, RANDOM_SET_TEXT_BYTES = 96 };

/* @return spec k, to emit the identity; min_overlap is a half */
align_spec_t random_set_spec(int k);

/* Describe a spec in a few words. @param out  [RANDOM_SET_TEXT_BYTES] */
void random_set_describe(const align_spec_t *spec, char *out);

#endif
