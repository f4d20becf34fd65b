/*
 * random_set.h - input for tests of kernels: random families of sequences, pairs of them,
 * and alignment specs.
 *
 * A family descends from one sequence of four, two or one different bases, sometimes in
 * long runs; or of the 20 amino acids or a few of them.  Its members keep 0 to 100 % of
 * it; some are only a piece.  Families of different bases have nothing in common.
 */
#pragma once

#include "io/base/rng.h"
#include "kernels/align/engine/aligner.h"

#include <stddef.h>

/* Sanitizers are slow and find the same errors in fewer cases: divide the numbers of
 * cases by RANDOM_SET_DIVISOR, and of a few long cases take every CASE_STEP-th. */
#ifdef __SANITIZE_ADDRESS__
enum { RANDOM_SET_DIVISOR = 7, CASE_STEP = 3 };
#else
enum { RANDOM_SET_DIVISOR = 1, CASE_STEP = 1 };
#endif

/* @return how many of n random cases are tried, at least 1: n / RANDOM_SET_DIVISOR times
 *         the environment's RIBOGRID_TEST_SCALE, a number, which ctest sets to 0.1 but
 * for tests with the label "nightly" */
int random_set_count(int n);

typedef struct {
    int64_t n;
    int64_t len_min, len_max; /* bases of a sequence, 1 <= len_min <= len_max */
    int ambiguous_percent;    /* percentage of families with ambiguity codes */
} random_set_opts_t;

/* Make a random set, which the caller destroys. @return ST_OK or ST_ENOMEM */
status_t random_set_create(rng_t *rng, const random_set_opts_t *opts,
                           seqset_t **out) MUST_CHECK;

/* The same for proteins. */
status_t random_set_create_proteins(rng_t *rng, const random_set_opts_t *opts,
                                    seqset_t **out) MUST_CHECK;

/*
 * Make a set from text: sequences are separated by blanks, and a number after a letter
 * repeats the letter.  "AC A300" are two sequences of 2 and of 300 bases.
 *
 * @return ST_OK or ST_ENOMEM; the caller destroys the set
 */
status_t random_set_spell(const char *text, seqset_t **out) MUST_CHECK;

/* Draw n pairs, half of them within a family. @param out  [n] */
void random_set_pairs(rng_t *rng, const seqset_t *set, int64_t n, pair_t *out);

/* Draw a symmetric matrix of scores -20..20 in which each letter scores highest with
 * itself.
 */
void random_set_matrix(rng_t *rng, score_matrix_t *out);

/* Draw a spec with affine gaps, any kind of ends and often a matrix, which emits
 * identities; min_overlap is 0. */
align_spec_t random_set_affine_spec(rng_t *rng);

/* Draw such a spec for proteins, with BLOSUM62 or a random matrix. */
align_spec_t random_set_protein_spec(rng_t *rng);

/* Specs 0 .. RANDOM_SET_SPECS - 1 are all combinations of five scorings, free or counted
 * ends and the ambiguity modes.  Those up to RANDOM_SET_ALL_SPECS - 1 count the query's
 * ends. */
enum { RANDOM_SET_SPECS = 30, RANDOM_SET_ALL_SPECS = 45, RANDOM_SET_TEXT_BYTES = 128 };

/* @return spec k, which emits identities; min_overlap is 1/2 */
align_spec_t random_set_spec(int k);

/* Describe a spec briefly. @param out  [RANDOM_SET_TEXT_BYTES] */
void random_set_describe(const align_spec_t *spec, char *out);
