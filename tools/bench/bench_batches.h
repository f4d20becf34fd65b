/*
 * bench_batches.h - aligns a benchmark's pairs batch by batch, some under way at a time.
 */
#ifndef RIBOGRID_TOOLS_BENCH_BENCH_BATCHES_H
#define RIBOGRID_TOOLS_BENCH_BENCH_BATCHES_H

#include "tools/bench/bench_result.h"

typedef struct {
    aligner_t *aligner; /* NULL: a row by itself, which aligner.h does not list */
    const aligner_backend_t *row;
    void *state;
    const seqset_t *set;
    const align_spec_t *spec;
    const pair_t *pairs; /* [n], borrowed */
    int64_t n;
    int64_t n_batches; /* at most n */
    int n_buffers;     /* batches under way, 1 .. ALIGNER_DEPTH */
    int64_t step;      /* sample k is pair k * step */
    int64_t n_sample;
    pair_results_t sample; /* [n_sample] numbers of the last run */
    int64_t n_bad_cigars; /* of the sample: not of the pair's letters, or other numbers */
} bench_batches_t;

/* Make room for the sample's results. @return ST_OK or ST_ENOMEM */
status_t bench_batches_reserve(bench_batches_t *b) MUST_CHECK;

/*
 * Align every pair once and keep the sample's results.
 *
 * @param batches  a bench_batches_t, ready
 * @return as aligner_wait
 */
status_t bench_batches_run(void *batches) MUST_CHECK;

/* Free what it holds, the aligner too; nothing is under way. */
void bench_batches_clear(bench_batches_t *b);

#endif
