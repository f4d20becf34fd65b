#include "tools/bench_kernels.h"

#include "io/logmsg.h"
#include "kernels/align/nw_reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const bench_pairs_t *pairs;
    const align_spec_t *spec;
    const bench_kernels_opts_t *opts;
    nw_cell_t *wanted; /* [n_checked] by the reference */
    int64_t n_checked;
} run_t;

typedef struct {
    aligner_t *aligner;
    pair_batch_t batch;
    pair_results_t got;
} work_t;

/* What the definition says of the first pairs of the sample. */
static status_t make_wanted(run_t *r)
{
    const seqset_t *set = r->pairs->set;
    nw_cell_t *row = malloc((size_t)(seqset_max_len(set) + 1) * sizeof(*row));

    r->n_checked = bench_pairs_n_checked(r->pairs);
    r->wanted = malloc((size_t)r->n_checked * sizeof(*r->wanted));
    if (row == NULL || r->wanted == NULL) {
        free(row);
        return log_nomem("a reference");
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

static status_t align_all(void *ctx)
{
    work_t *w = ctx;
    status_t st = aligner_submit(w->aligner, &w->batch);

    return st == ST_OK ? aligner_wait(w->aligner, &w->got) : st;
}

/* @param step  between pairs of the sample in the batch */
static status_t check(const run_t *r, const char *what, const pair_results_t *got,
                      int64_t step)
{
    for (int64_t i = 0; i < r->n_checked; i++) {
        const nw_cell_t *want = &r->wanted[i];
        int64_t at = i * step;

        if (got->score[at] == want->score &&
            (r->spec->emit == EMIT_SCORE ||
             (got->matches[at] == want->matches && got->columns[at] == want->columns)))
            continue;
        log_error("bench align: %s differs from the reference for %s and %s", what,
                  seqset_name(r->pairs->set, r->pairs->sample[i].query),
                  seqset_name(r->pairs->set, r->pairs->sample[i].target));
        return ST_EDEVICE;
    }
    return ST_OK;
}

static status_t measure(run_t *r, bench_row_t *row, const device_t *device,
                        const char *kernel)
{
    const bench_pairs_t *p = r->pairs;
    bool is_slow = strcmp(kernel, "scalar") == 0;
    int64_t step = is_slow ? 1 : p->step;
    work_t work = {
        .batch = {is_slow ? p->sample : p->pairs, is_slow ? p->n_sample : p->n}};
    status_t st = aligner_create_tried(device, r->opts->pool, kernel, p->set, r->spec,
                                       NULL, &work.aligner); /* as align has it */

    if (st != ST_OK)
        return st;
    row->effective = r->spec->band && !is_slow;
    row->n_pairs = work.batch.n;
    row->cells = is_slow ? p->sample_cells : p->cells;
    snprintf(row->what, sizeof(row->what), "%s%s",
             strcmp(kernel, "auto") == 0 ? "auto: " : "",
             strcmp(kernel, "auto") == 0 ? aligner_name(work.aligner) : kernel);
    if ((row->score = malloc((size_t)p->n_sample * sizeof(*row->score))) == NULL)
        st = log_nomem("scores");
    if (st == ST_OK)
        st = bench_row_measure(row, r->opts->n_runs, align_all, &work);
    for (int64_t i = 0; st == ST_OK && i < p->n_sample; i++)
        row->score[i] = work.got.score[i * step];
    if (st == ST_OK)
        st = check(r, row->what, &work.got, step);
    aligner_destroy(work.aligner);
    return st;
}

/* @param backend  NULL: the device's choice */
static status_t run_one(run_t *r, const device_t *device,
                        const aligner_backend_t *backend, bench_rows_t *rows)
{
    int64_t longest = seqset_max_len(r->pairs->set);
    bench_row_t *row = bench_row_add(rows);

    if (row == NULL)
        return ST_ENOMEM;
    row->by = BY_US;
    row->emit = r->spec->emit;
    row->ends = r->spec->ends;
    row->threads = device->kind == DEVICE_CPU ? pool_n_threads(r->opts->pool) : 0;
    if (device->kind == DEVICE_CPU)
        snprintf(row->device, sizeof(row->device), "cpu");
    else
        snprintf(row->device, sizeof(row->device), "cuda:%d", device->index);
    snprintf(row->device_name, sizeof(row->device_name), "%s", device->name);
    if (backend != NULL && !backend->takes(device, r->spec, longest, longest)) {
        snprintf(row->what, sizeof(row->what), "%s", backend->name);
        row->absent = "does not take such pairs";
        return ST_OK;
    }
    return measure(r, row, device, backend != NULL ? backend->name : "auto");
}

status_t bench_kernels_run(const bench_pairs_t *pairs, const align_spec_t *spec,
                           const bench_kernels_opts_t *opts, bench_rows_t *rows)
{
    run_t r = {.pairs = pairs, .spec = spec, .opts = opts};
    bool is_auto = strcmp(opts->kernel, "auto") == 0;
    bool is_all = strcmp(opts->kernel, "all") == 0;
    status_t st = make_wanted(&r);

    for (int d = 0; st == ST_OK && d < opts->n_devices; d++) {
        const aligner_backend_t *const *b = aligner_backends();

        if (is_auto)
            st = run_one(&r, &opts->devices[d], NULL, rows);
        for (; st == ST_OK && !is_auto && *b != NULL; b++)
            if ((*b)->kind == opts->devices[d].kind &&
                (is_all || strcmp((*b)->name, opts->kernel) == 0))
                st = run_one(&r, &opts->devices[d], *b, rows);
    }
    free(r.wanted);
    return st;
}
