/*
 * bench_batches.h - aligns a benchmark's pairs in batches, with one or two batches in
 * flight.
 */
#ifndef RIBOGRID_BENCH_ALIGN_BENCH_BATCHES_H
#define RIBOGRID_BENCH_ALIGN_BENCH_BATCHES_H

#include "bench/align/bench_result.h"

typedef struct {
    aligner_t
        *aligner; /* NULL: use `backend` directly, because aligner.h does not list it */
    const aligner_backend_t *backend;
    void *state;
    const seqset_t *set;
    const align_spec_t *spec;
    const pair_t *pairs; /* [n], borrowed */
    int64_t n;
    int64_t n_batches; /* at most n */
    int n_buffers;     /* batches in flight, 1 .. ALIGNER_DEPTH */
    int64_t step;      /* pair k of the sample is pair k * step */
    int64_t n_sample;
    pair_results_t sample; /* [n_sample] results of the last run */
    int64_t n_bad_cigars;  /* in the sample: CIGARs that do not fit their pair */
} bench_batches_t;

/* Allocate the sample's results. @return ST_OK or ST_ENOMEM */
status_t bench_batches_reserve(bench_batches_t *b) MUST_CHECK;

/*
 * Align every pair once; the sample's results end up in `sample`.
 *
 * @param batches  a bench_batches_t with all fields set
 * @return the status of aligner_wait
 */
status_t bench_batches_run(void *batches) MUST_CHECK;

/* Free everything it holds, including the aligner.  No batch may be in flight. */
void bench_batches_clear(bench_batches_t *b);

#endif
