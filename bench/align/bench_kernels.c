/*
 * bench_kernels.c - runs kernels in batches, one or two of them in flight, and compares
 * the results with the reference.
 */
#include "bench/align/bench_align.h"

#include "io/base/logmsg.h"
#include "io/seq/cigar.h"
#include "kernels/align/baseline/tile_baseline.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- batches ---- */

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
static status_t bench_batches_reserve(bench_batches_t *b)
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

/*
 * Align every pair once; the sample's results end up in `sample`.
 *
 * @param batches  a bench_batches_t with all fields set
 * @return the status of aligner_wait
 */
static status_t bench_batches_run(void *batches)
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

/* Free everything it holds, including the aligner.  No batch may be in flight. */
static void bench_batches_clear(bench_batches_t *b)
{
    aligner_destroy(b->aligner);
    if (b->state != NULL)
        b->backend->destroy(b->state);
    free(b->sample.score);
    free(b->sample.matches);
    free(b->sample.columns);
    *b = (bench_batches_t){.n = 0};
}

enum { REFERENCE_LENGTH_MAX = 10000 }; /* the reference takes seconds per longer pair */

typedef struct {
    const bench_pairs_t *pairs;
    const align_spec_t *spec;
    const bench_kernels_opts_t *opts;
    nw_cell_t *expected; /* [n_checked] results of the reference */
    int64_t n_checked;
} run_t;

static bool is_baseline(const aligner_backend_t *backend)
{
    return strcmp(backend->base.name, "baseline") == 0;
}

const aligner_backend_t *bench_kernels_backend(const bench_kernels_opts_t *opts,
                                               device_kind_t kind)
{
#ifdef RIBOGRID_HAVE_CUDA
    if (strcmp(opts->kernel, "baseline") == 0 && kind == DEVICE_CUDA)
        return opts->init_on_device ? &tile_baseline_device_backend
                                    : &tile_baseline_host_backend;
#endif
    return strcmp(opts->kernel, "auto") == 0
               ? NULL
               : aligner_backend(backend_find(&aligner_table, opts->kernel, kind));
}

/* Take the expected results from the CPU backends: they are not the definition, but their
 * code differs from the GPU's. */
static status_t expect_by_cpu(run_t *r)
{
    align_spec_t spec = *r->spec;
    pair_batch_t batch = {r->pairs->sample, r->n_checked};
    device_t cpu = device_cpu();
    align_context_t context = {&cpu, r->opts->pool, r->pairs->set, &spec, {0}};
    aligner_t *aligner = NULL;
    pair_results_t got;
    status_t st;

    spec.emit = spec.emit == EMIT_SCORE ? EMIT_SCORE : EMIT_IDENTITY;
    if ((st = aligner_create(&context, &(aligner_options_t){.kernel = "auto"},
                             &aligner)) == ST_OK &&
        (st = aligner_submit(aligner, &batch)) == ST_OK)
        st = aligner_wait(aligner, &got);
    for (int64_t i = 0; st == ST_OK && i < r->n_checked; i++)
        r->expected[i] =
            (nw_cell_t){got.score[i], got.matches != NULL ? got.matches[i] : 0,
                        got.columns != NULL ? got.columns[i] : 0};
    aligner_destroy(aligner);
    return st;
}

/* Align the first pairs of the sample by the reference. */
static status_t make_expected(run_t *r)
{
    const seqset_t *set = r->pairs->set;
    int64_t longest = seqset_max_len(set);
    nw_values_t *row = malloc((size_t)(longest + 1) * sizeof(*row));

    r->n_checked = bench_pairs_n_checked(r->pairs);
    r->expected = malloc((size_t)r->n_checked * sizeof(*r->expected));
    if (row == NULL || r->expected == NULL) {
        free(row);
        return log_nomem("a reference");
    }
    if (longest > REFERENCE_LENGTH_MAX) {
        free(row);
        return expect_by_cpu(r);
    }
    for (int64_t i = 0; i < r->n_checked; i++) {
        pair_t p = r->pairs->sample[i];
        int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);
        nw_cell_t *cell = &r->expected[i];

        *cell = nw_reference_pair(r->spec, seqset_letters(set, p.query), m,
                                  seqset_letters(set, p.target), n, row);
        if (!align_overlap_suffices(r->spec, m, n, (int32_t)cell->columns))
            cell->matches = cell->columns = 0;
    }
    free(row);
    return ST_OK;
}

static status_t check(const run_t *r, const char *what, const bench_batches_t *work)
{
    const pair_results_t *got = &work->sample;

    for (int64_t i = 0; i < r->n_checked; i++) {
        const nw_cell_t *expected = &r->expected[i];

        if (got->score[i] == expected->score &&
            (got->matches == NULL || (got->matches[i] == expected->matches &&
                                      got->columns[i] == expected->columns)))
            continue;
        log_error("%s differs from the reference for %s and %s", what,
                  seqset_name(r->pairs->set, r->pairs->sample[i].query),
                  seqset_name(r->pairs->set, r->pairs->sample[i].target));
        return ST_EDEVICE;
    }
    if (work->n_bad_cigars == 0)
        return ST_OK;
    log_error("%s: %" PRId64 " of %" PRId64 " CIGARs do not fit their pairs", what,
              work->n_bad_cigars, work->n_sample);
    return ST_EDEVICE;
}

/* Create the baseline backend, or an aligner for any other one. */
static status_t open_backend(const run_t *r, const device_t *device,
                             const aligner_backend_t *backend, bench_batches_t *work)
{
    align_context_t context = {device, r->opts->pool, r->pairs->set, r->spec,
                               r->opts->run};
    aligner_options_t options = {.kernel = backend != NULL ? backend->base.name : "auto",
                                 .trial = true};
    status_t st = bench_batches_reserve(work);

    if (st != ST_OK)
        return st;
    if (backend == NULL || !is_baseline(backend))
        return aligner_create(&context, &options, &work->aligner);
    work->backend = backend;
    return backend->create(&context, &work->state);
}

/* The scalar backend is slow: it aligns only the sample. */
static bench_batches_t make_work(const run_t *r, const device_t *device,
                                 const aligner_backend_t *backend)
{
    const bench_pairs_t *p = r->pairs;
    bool is_slow = backend != NULL && strcmp(backend->base.name, "scalar") == 0;
    bench_batches_t work = {.set = p->set,
                            .spec = r->spec,
                            .pairs = is_slow ? p->sample : p->pairs,
                            .n = is_slow ? p->n_sample : p->n,
                            .step = is_slow ? 1 : p->step,
                            .n_sample = p->n_sample,
                            .n_batches = r->opts->n_batches,
                            .n_buffers = 1};

    if (device->kind == DEVICE_CUDA && (backend == NULL || !is_baseline(backend)))
        work.n_buffers = r->opts->run.n_buffers;
    if (work.n_batches > work.n)
        work.n_batches = work.n;
    return work;
}

static status_t measure(run_t *r, bench_result_t *result, const device_t *device,
                        const aligner_backend_t *backend)
{
    const bench_pairs_t *p = r->pairs;
    bench_batches_t work = make_work(r, device, backend);
    bool whole = work.n == p->n;
    status_t st = open_backend(r, device, backend, &work);

    if (st == ST_OK && work.aligner != NULL)
        snprintf(result->what, sizeof(result->what), "%s%s",
                 backend == NULL ? "auto: " : "",
                 backend == NULL ? aligner_name(work.aligner) : backend->base.name);
    result->effective = r->opts->run.band && work.aligner != NULL &&
                        (backend == NULL || strcmp(backend->base.name, "scalar") != 0);
    result->n_pairs = work.n;
    result->n_batches = work.n_batches;
    result->pageable = r->opts->run.pageable;
    result->n_buffers = work.n_buffers;
    result->cells = whole ? p->cells : p->sample_cells;
    if (st == ST_OK)
        st = bench_result_measure(result, r->opts->n_runs, bench_batches_run, &work);
    if (st == ST_OK)
        st = check(r, result->what, &work);
    if (st == ST_OK) { /* now owned by the result */
        result->score = work.sample.score;
        work.sample.score = NULL;
    }
    bench_batches_clear(&work);
    return st;
}

/* @param backend  NULL: the device's choice */
static status_t run_one(run_t *r, const device_t *device,
                        const aligner_backend_t *backend, bench_results_t *results)
{
    int64_t longest = seqset_max_len(r->pairs->set);
    align_context_t context = {.device = device, .spec = r->spec, .run = r->opts->run};
    bench_result_t *result = bench_result_add(results);

    if (result == NULL)
        return ST_ENOMEM;
    result->library = LIBRARY_OURS;
    result->emit = r->spec->emit;
    result->ends = r->spec->ends;
    result->threads = device_is_gpu(device) ? 0 : pool_n_threads(r->opts->pool);
    if (device_is_gpu(device))
        snprintf(result->device, sizeof(result->device), "cuda:%d", device->index);
    else
        snprintf(result->device, sizeof(result->device), "cpu");
    snprintf(result->device_name, sizeof(result->device_name), "%s", device->name);
    if (backend != NULL && is_baseline(backend))
        result->init = r->opts->init_on_device ? "device" : "host";
    if (backend != NULL)
        snprintf(result->what, sizeof(result->what), "%s", backend->base.name);
    if (backend != NULL && !aligner_backend_takes(backend, &context, longest, longest)) {
        result->absent = "does not take such pairs";
        return ST_OK;
    }
    return measure(r, result, device, backend);
}

status_t bench_kernels_run(const bench_pairs_t *pairs, const align_spec_t *spec,
                           const bench_kernels_opts_t *opts, bench_results_t *results)
{
    run_t r = {.pairs = pairs, .spec = spec, .opts = opts};
    bool is_all = strcmp(opts->kernel, "all") == 0;
    status_t st = opts->is_unchecked ? ST_OK : make_expected(&r);

    for (int d = 0; st == ST_OK && d < opts->n_devices; d++) {
        const backend_t *const *row = aligner_table.rows;

        if (!is_all) /* a backend for this device; NULL for "auto" */
            st = run_one(&r, &opts->devices[d],
                         bench_kernels_backend(opts, opts->devices[d].kind), results);
        for (; st == ST_OK && is_all && *row != NULL; row++)
            if ((*row)->kind == opts->devices[d].kind)
                st = run_one(&r, &opts->devices[d], aligner_backend(*row), results);
    }
    free(r.expected);
    return st;
}
