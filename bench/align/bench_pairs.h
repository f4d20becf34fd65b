/*
 * bench_pairs.h - the pairs that a benchmark aligns: all pairs of a sequence set, or of
 * queries and targets of different lengths.
 *
 * As in a real run, each sequence occurs in many pairs, and pairs are ordered by query.
 */
#ifndef RIBOGRID_BENCH_ALIGN_BENCH_PAIRS_H
#define RIBOGRID_BENCH_ALIGN_BENCH_PAIRS_H

#include "kernels/align/engine/aligner.h"

/* Identities of simulated sequences are from this to 1.  Unrelated ones have about so
 * much, because the best alignment finds matches by chance. */
#define BENCH_IDENTITY_MIN 0.55

typedef struct {
    alphabet_t alphabet;
    int64_t n;             /* pairs; fewer if the input has fewer */
    int64_t n_sample;      /* pairs, evenly spaced, that the peers align as well */
    int64_t length;        /* bases per query */
    int64_t target_length; /* bases per target */
    double identity;       /* mean of two sequences, where they overlap */
    int codes_percent;     /* percentage of sequences with ambiguity codes */
    const char *input;     /* FASTA file to use instead of simulated sequences, or NULL */
} bench_pairs_opts_t;

typedef struct {
    seqset_t *set;
    pair_t *pairs; /* [n] */
    int64_t n;
    pair_t *sample; /* [n_sample]; pair k of the sample is pairs[k * step] */
    int64_t n_sample, step;
    double cells, sample_cells; /* cells of the full matrices */
    double mean_length;
    double identity; /* measured mean over part of the sample; -1: not measured, because
                        one alignment would take minutes */
} bench_pairs_t;

/*
 * Read sequences, or simulate them with a given mean identity.
 *
 * Simulated sequences, of bases or of amino acids with equal probabilities, descend
 * independently from one random ancestor: nine of ten edits
 * are substitutions; half of the others insert a base, half delete one.  If queries and
 * targets differ in length, the shorter ones descend from pieces of the ancestor, each
 * from another one.
 *
 * @param spec  scoring and ends, for measuring identities
 * @return ST_OK, ST_ENOMEM, ST_EINPUT (fewer than two sequences), or an error of
 *         fasta_read
 */
status_t bench_pairs_make(const bench_pairs_opts_t *opts, const align_spec_t *spec,
                          bench_pairs_t **out) MUST_CHECK;

/* Takes NULL. */
void bench_pairs_destroy(bench_pairs_t *p);

/* @return how many pairs of the sample to check against nw_reference.h, which is slow */
int64_t bench_pairs_n_checked(const bench_pairs_t *p);

#endif
