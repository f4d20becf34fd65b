/*
 * bench_batches.c - submits batches, collects results, and checks CIGARs.
 */
#include "bench/align/bench_batches.h"

#include "io/base/logmsg.h"
#include "io/seq/cigar.h"

#include <stdlib.h>

status_t bench_batches_reserve(bench_batches_t *b)
{
    size_t bytes = (size_t)b->n_sample * sizeof(int32_t);
    bool only_scores = !align_has_identity(b->spec);

    b->sample = (pair_results_t){
        .score = malloc(bytes),
        .matches = only_scores ? NULL : malloc(bytes),
        .columns = only_scores ? NULL : malloc(bytes),
    };
    if (b->sample.score == NULL ||
        (!only_scores && (b->sample.matches == NULL || b->sample.columns == NULL)))
        return log_nomem("results");
    return ST_OK;
}

static int64_t batch_start(const bench_batches_t *b, int64_t k)
{
    return b->n / b->n_batches * k + b->n % b->n_batches * k / b->n_batches;
}

static status_t submit(bench_batches_t *b, const pair_batch_t *batch)
{
    return b->aligner != NULL ? aligner_submit(b->aligner, batch)
                              : b->backend->submit(b->state, batch);
}

static bool is_gap(uint32_t run)
{
    return cigar_run_op(run) == CIGAR_I || cigar_run_op(run) == CIGAR_D;
}

/* @return the runs at one end of a CIGAR that are no columns (nw_reference.h)
 * @param step  1: from the first run on, -1: from the last one back */
static int64_t n_outer_runs(align_ends_t ends, const uint32_t *runs, int64_t n_runs,
                            int step)
{
    const uint32_t *at = step > 0 ? runs : runs + n_runs - 1;
    int64_t n = 0, max = ends == ENDS_LOCAL ? 2 : align_ends_limit_overlap(ends) ? 1 : 0;

    while (n < max && n < n_runs && is_gap(at[n * step]))
        n++;
    return n;
}

/* @return whether a CIGAR consumes both sequences and has the pair's matches and columns
 */
static bool cigar_fits(const bench_batches_t *b, pair_t pair, const pair_results_t *got,
                       int64_t at)
{
    const uint32_t *runs = got->cigar + got->cigar_start[at];
    int64_t n_runs = got->cigar_start[at + 1] - got->cigar_start[at];
    int64_t first = n_outer_runs(b->spec->ends, runs, n_runs, 1);
    int64_t end = n_runs - n_outer_runs(b->spec->ends, runs, n_runs, -1);
    int64_t query = 0, target = 0, matches = 0, columns = 0;

    for (int64_t k = 0; k < n_runs; k++) {
        int64_t len = cigar_run_len(runs[k]);
        cigar_op_t op = cigar_run_op(runs[k]);

        query += op != CIGAR_D ? len : 0;
        target += op != CIGAR_I ? len : 0;
        matches += op == CIGAR_EQ ? len : 0;
        columns += k >= first && k < end ? len : 0;
    }
    if (n_runs > 0 && (query != seqset_len(b->set, pair.query) ||
                       target != seqset_len(b->set, pair.target)))
        return false;
    return matches == got->matches[at] && columns == got->columns[at];
}

/* Wait for the oldest batch, number k, and copy the results that belong to the sample. */
static status_t collect(bench_batches_t *b, int64_t k)
{
    int64_t start = batch_start(b, k), end = batch_start(b, k + 1);
    pair_results_t got = {.score = NULL};
    status_t st = b->aligner != NULL ? aligner_wait(b->aligner, &got)
                                     : b->backend->wait(b->state, &got);

    if (st != ST_OK)
        return st;
    for (int64_t i = (start + b->step - 1) / b->step;
         i < b->n_sample && i * b->step < end; i++) {
        int64_t at = i * b->step - start;

        b->sample.score[i] = got.score[at];
        if (b->sample.matches == NULL)
            continue;
        b->sample.matches[i] = got.matches[at];
        b->sample.columns[i] = got.columns[at];
        if (got.cigar_start != NULL)
            b->n_bad_cigars += !cigar_fits(b, b->pairs[start + at], &got, at);
    }
    return ST_OK;
}

status_t bench_batches_run(void *batches)
{
    bench_batches_t *b = batches;
    pair_batch_t in_flight[ALIGNER_DEPTH]; /* borrowed by the aligner until its wait */
    int64_t n_collected = 0;
    status_t st = ST_OK;

    b->n_bad_cigars = 0;
    for (int64_t k = 0; st == ST_OK && k < b->n_batches; k++) {
        int64_t start = batch_start(b, k);
        pair_batch_t *batch = &in_flight[k % b->n_buffers];

        if (k >= b->n_buffers && (st = collect(b, n_collected++)) != ST_OK)
            break;
        *batch = (pair_batch_t){b->pairs + start, batch_start(b, k + 1) - start};
        st = submit(b, batch);
    }
    while (st == ST_OK && n_collected < b->n_batches)
        st = collect(b, n_collected++);
    return st;
}

void bench_batches_clear(bench_batches_t *b)
{
    aligner_destroy(b->aligner);
    if (b->state != NULL)
        b->backend->destroy(b->state);
    free(b->sample.score);
    free(b->sample.matches);
    free(b->sample.columns);
    *b = (bench_batches_t){.n = 0};
}
