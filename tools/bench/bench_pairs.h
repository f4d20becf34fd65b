/*
 * bench_pairs.h - the pairs that a benchmark aligns: all pairs of a set of sequences.
 *
 * As in a real run, a sequence stands in many pairs, and pairs follow each other by row.
 */
#ifndef RIBOGRID_TOOLS_BENCH_BENCH_PAIRS_H
#define RIBOGRID_TOOLS_BENCH_BENCH_PAIRS_H

#include "kernels/align/engine/aligner.h"

typedef struct {
    int64_t n;         /* pairs; fewer where the input has no more */
    int64_t n_sample;  /* pairs among them, at equal steps, that peers align too */
    int64_t length;    /* letters */
    double identity;   /* that any two sequences are to have; 0.6 to 1 */
    int codes_percent; /* sequences that hold IUPAC codes */
    const char *input; /* FASTA instead of simulated sequences; may be NULL */
} bench_pairs_opts_t;

typedef struct {
    seqset_t *set;
    pair_t *pairs; /* [n] */
    int64_t n;
    pair_t *sample; /* [n_sample]; sample k is pair k * step */
    int64_t n_sample, step;
    double cells, sample_cells; /* of the full matrices */
    double mean_length;
    double identity; /* mean of some of the sample's canonical alignments; -1: not
                      * measured, since one would take minutes */
} bench_pairs_t;

/*
 * Simulate sequences until any two have the wanted identity on average, or read them.
 *
 * Simulated ones descend from one random ancestor each on its own: nine edits of ten are
 * substitutions, half of the others insert, half delete a letter.
 *
 * @param spec  what identity means; its ends are taken as counted for the adjustment
 * @return ST_OK, ST_ENOMEM, ST_EINPUT (fewer than two sequences), or as fasta_read
 */
status_t bench_pairs_make(const bench_pairs_opts_t *opts, const align_spec_t *spec,
                          bench_pairs_t **out) MUST_CHECK;

/* Takes NULL. */
void bench_pairs_destroy(bench_pairs_t *p);

/* @return how many of the sample to align by nw_reference.h, which is slow */
int64_t bench_pairs_n_checked(const bench_pairs_t *p);

#endif
