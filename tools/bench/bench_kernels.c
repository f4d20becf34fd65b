#include "tools/bench/bench_kernels.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/nw_reference.h"
#include "tools/bench/bench_batches.h"
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/align/baseline/tile_baseline.h"
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCE_LETTERS = 30000 }; /* of longer pairs the reference takes minutes */

typedef struct {
    const bench_pairs_t *pairs;
    const align_spec_t *spec;
    const bench_kernels_opts_t *opts;
    nw_cell_t *wanted; /* [n_checked] by the reference */
    int64_t n_checked;
} run_t;

static bool is_baseline(const aligner_backend_t *row)
{
    return strcmp(row->name, "baseline") == 0;
}

const aligner_backend_t *bench_kernels_backend(const bench_kernels_opts_t *opts,
                                               device_kind_t kind)
{
    const aligner_backend_t *const *row = aligner_backends();

#ifdef RIBOGRID_HAVE_CUDA
    if (strcmp(opts->kernel, "baseline") == 0 && kind == DEVICE_CUDA)
        return opts->init_on_device ? &tile_baseline_device_backend
                                    : &tile_baseline_host_backend;
#endif
    while (*row != NULL &&
           ((*row)->kind != kind || strcmp((*row)->name, opts->kernel) != 0))
        row++;
    return *row;
}

/* The checked pairs by the CPU's rows: not the definition, but other code than a GPU's.
 */
static status_t want_of_cpu(run_t *r)
{
    align_spec_t spec = *r->spec;
    pair_batch_t batch = {r->pairs->sample, r->n_checked};
    device_t cpu = device_cpu();
    aligner_t *aligner = NULL;
    pair_results_t got;
    status_t st;

    spec.band = false;
    spec.emit = spec.emit == EMIT_SCORE ? EMIT_SCORE : EMIT_IDENTITY;
    if ((st = aligner_create(&cpu, r->opts->pool, "auto", r->pairs->set, &spec,
                             &aligner)) == ST_OK &&
        (st = aligner_submit(aligner, &batch)) == ST_OK)
        st = aligner_wait(aligner, &got);
    for (int64_t i = 0; st == ST_OK && i < r->n_checked; i++)
        r->wanted[i] = (nw_cell_t){got.score[i], got.matches != NULL ? got.matches[i] : 0,
                                   got.columns != NULL ? got.columns[i] : 0};
    aligner_destroy(aligner);
    return st;
}

/* What the definition says of the first pairs of the sample. */
static status_t make_wanted(run_t *r)
{
    const seqset_t *set = r->pairs->set;
    int64_t longest = seqset_max_len(set);
    nw_cell_t *row = malloc((size_t)(longest + 1) * sizeof(*row));

    r->n_checked = bench_pairs_n_checked(r->pairs);
    r->wanted = malloc((size_t)r->n_checked * sizeof(*r->wanted));
    if (row == NULL || r->wanted == NULL) {
        free(row);
        return log_nomem("a reference");
    }
    if (longest > REFERENCE_LETTERS) {
        free(row);
        return want_of_cpu(r);
    }
    for (int64_t i = 0; i < r->n_checked; i++) {
        pair_t p = r->pairs->sample[i];
        int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);
        nw_cell_t *w = &r->wanted[i];

        *w = nw_reference_pair(r->spec, seqset_letters(set, p.query), m,
                               seqset_letters(set, p.target), n, row);
        if (!align_overlap_suffices(r->spec, m, n, (int32_t)w->columns))
            w->matches = w->columns = 0;
    }
    free(row);
    return ST_OK;
}

static status_t check(const run_t *r, const char *what, const bench_batches_t *work)
{
    const pair_results_t *got = &work->sample;

    for (int64_t i = 0; i < r->n_checked; i++) {
        const nw_cell_t *want = &r->wanted[i];

        if (got->score[i] == want->score &&
            (got->matches == NULL ||
             (got->matches[i] == want->matches && got->columns[i] == want->columns)))
            continue;
        log_error("bench align: %s differs from the reference for %s and %s", what,
                  seqset_name(r->pairs->set, r->pairs->sample[i].query),
                  seqset_name(r->pairs->set, r->pairs->sample[i].target));
        return ST_EDEVICE;
    }
    if (work->n_bad_cigars == 0)
        return ST_OK;
    log_error("bench align: %s: %" PRId64 " of %" PRId64 " CIGARs do not fit their pairs",
              what, work->n_bad_cigars, work->n_sample);
    return ST_EDEVICE;
}

/* Make the row, or the aligner that "auto" and listed rows run in. */
static status_t open_row(const run_t *r, const device_t *device,
                         const aligner_backend_t *row, bench_batches_t *work)
{
    const seqset_t *set = r->pairs->set;
    status_t st = bench_batches_reserve(work);

    if (st != ST_OK)
        return st;
    if (row == NULL || !is_baseline(row)) /* as align has it */
        return aligner_create_tried(device, r->opts->pool,
                                    row != NULL ? row->name : "auto", set, r->spec, NULL,
                                    &work->aligner);
    work->row = row;
    return row->create(device, r->opts->pool, set, r->spec, &work->state);
}

/* The scalar row is slow: it gets the sample alone. */
static bench_batches_t make_work(const run_t *r, const device_t *device,
                                 const aligner_backend_t *row)
{
    const bench_pairs_t *p = r->pairs;
    bool is_slow = row != NULL && strcmp(row->name, "scalar") == 0;
    bench_batches_t work = {.set = p->set,
                            .spec = r->spec,
                            .pairs = is_slow ? p->sample : p->pairs,
                            .n = is_slow ? p->n_sample : p->n,
                            .step = is_slow ? 1 : p->step,
                            .n_sample = p->n_sample,
                            .n_batches = r->opts->n_batches,
                            .n_buffers = 1};

    if (device->kind == DEVICE_CUDA && (row == NULL || !is_baseline(row)))
        work.n_buffers = r->spec->transfer.buffers;
    if (work.n_batches > work.n)
        work.n_batches = work.n;
    return work;
}

static status_t measure(run_t *r, bench_result_t *row, const device_t *device,
                        const aligner_backend_t *backend)
{
    const bench_pairs_t *p = r->pairs;
    bench_batches_t work = make_work(r, device, backend);
    bool whole = work.n == p->n;
    status_t st = open_row(r, device, backend, &work);

    if (st == ST_OK && work.aligner != NULL)
        snprintf(row->what, sizeof(row->what), "%s%s", backend == NULL ? "auto: " : "",
                 backend == NULL ? aligner_name(work.aligner) : backend->name);
    row->effective = r->spec->band && work.aligner != NULL &&
                     (backend == NULL || strcmp(backend->name, "scalar") != 0);
    row->n_pairs = work.n;
    row->n_batches = work.n_batches;
    row->transfer = r->spec->transfer;
    row->transfer.buffers = work.n_buffers;
    row->cells = whole ? p->cells : p->sample_cells;
    if (st == ST_OK)
        st = bench_result_measure(row, r->opts->n_runs, bench_batches_run, &work);
    if (st == ST_OK)
        st = check(r, row->what, &work);
    if (st == ST_OK) { /* the row's now */
        row->score = work.sample.score;
        work.sample.score = NULL;
    }
    bench_batches_clear(&work);
    return st;
}

/* @param backend  NULL: the device's choice */
static status_t run_one(run_t *r, const device_t *device,
                        const aligner_backend_t *backend, bench_results_t *rows)
{
    int64_t longest = seqset_max_len(r->pairs->set);
    bench_result_t *row = bench_result_add(rows);

    if (row == NULL)
        return ST_ENOMEM;
    row->by = LIBRARY_OURS;
    row->emit = r->spec->emit;
    row->ends = r->spec->ends;
    row->threads = device->kind == DEVICE_CPU ? pool_n_threads(r->opts->pool) : 0;
    if (device->kind == DEVICE_CPU)
        snprintf(row->device, sizeof(row->device), "cpu");
    else
        snprintf(row->device, sizeof(row->device), "cuda:%d", device->index);
    snprintf(row->device_name, sizeof(row->device_name), "%s", device->name);
    if (backend != NULL && is_baseline(backend))
        row->init = r->opts->init_on_device ? "device" : "host";
    if (backend != NULL)
        snprintf(row->what, sizeof(row->what), "%s", backend->name);
    if (backend != NULL && !backend->takes(device, r->spec, longest, longest)) {
        row->absent = "does not take such pairs";
        return ST_OK;
    }
    return measure(r, row, device, backend);
}

status_t bench_kernels_run(const bench_pairs_t *pairs, const align_spec_t *spec,
                           const bench_kernels_opts_t *opts, bench_results_t *rows)
{
    run_t r = {.pairs = pairs, .spec = spec, .opts = opts};
    bool is_all = strcmp(opts->kernel, "all") == 0;
    status_t st = make_wanted(&r);

    for (int d = 0; st == ST_OK && d < opts->n_devices; d++) {
        const aligner_backend_t *const *b = aligner_backends();

        if (!is_all) /* a row of the device's kind; NULL for "auto" */
            st = run_one(&r, &opts->devices[d],
                         bench_kernels_backend(opts, opts->devices[d].kind), rows);
        for (; st == ST_OK && is_all && *b != NULL; b++)
            if ((*b)->kind == opts->devices[d].kind)
                st = run_one(&r, &opts->devices[d], *b, rows);
    }
    free(r.wanted);
    return st;
}
