/*
 * aligner.c - ranks the backends for a set, and runs batches on those that take them.
 */
#include "kernels/align/engine/aligner.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/align/engine/trial.h"
#include "kernels/registry/backends.h"

#include <stdlib.h>
#include <string.h>

static const double TRIAL_WORTH_S = 5; /* shorter work is not worth a trial */

static status_t create_state(aligner_t *a, ranked_backend_t *r)
{
    if (r->state != NULL)
        return ST_OK;
    return r->backend->create(aligner_context_of(a, r->backend), &r->state);
}

/* @return whether a backend takes pairs of m and n bases, either being the query */
static bool takes_both_ways(const aligner_t *a, const aligner_backend_t *backend,
                            int64_t m, int64_t n)
{
    const align_context_t *context = aligner_context_of(a, backend);

    return aligner_backend_takes(backend, context, m, n) &&
           aligner_backend_takes(backend, context, n, m);
}

/* @param against_longest  pairs with the longest sequence, or with one as long
 * @return the longest length such that all pairs up to it are taken; 0: none is */
static int64_t max_len_of(const aligner_t *a, const aligner_backend_t *backend,
                          bool against_longest)
{
    int64_t longest = seqset_max_len(a->context.set);
    int64_t taken = 0, refused = (longest > 0 ? longest : 1) + 1;

    while (refused - taken > 1) {
        int64_t len = taken + (refused - taken) / 2;

        if (takes_both_ways(a, backend, len, against_longest ? longest : len))
            taken = len;
        else
            refused = len;
    }
    return taken;
}

/* Append a backend to the ranks, unless it takes no pair at all. */
static void rank_last(aligner_t *a, const aligner_backend_t *backend)
{
    int64_t max_len = max_len_of(a, backend, false);

    if (max_len > 0)
        a->ranked[a->n_ranked++] =
            (ranked_backend_t){.backend = backend,
                               .max_len = max_len,
                               .max_shorter = max_len_of(a, backend, true)};
}

static bool takes_all(const aligner_t *a, const ranked_backend_t *r)
{
    return r->max_len >= seqset_max_len(a->context.set);
}

static bool is_excluded(const aligner_backend_t *b, const aligner_options_t *o)
{
    return o->except != NULL && strcmp(b->base.name, o->except) == 0;
}

static bool has_name(const aligner_backend_t *b, const char *name)
{
    return strcmp(b->base.name, name) == 0 ||
           (b->family != NULL && strcmp(b->family, name) == 0);
}

static bool is_requested(const aligner_t *a, const aligner_backend_t *b,
                         const aligner_options_t *o)
{
    return b->base.kind == a->context.device->kind && !is_excluded(b, o) &&
           (strcmp(o->kernel, "auto") == 0 || has_name(b, o->kernel));
}

/* Rank the requested backends in the table's order, then the CPU's other ones. */
static status_t rank_backends(aligner_t *a, const aligner_options_t *options)
{
    const char *kernel = options->kernel;
    const backend_t *const *rows = a->table->rows;
    int n = 0, n_requested = 0;
    bool complete = false;

    while (rows[n] != NULL)
        n++;
    if ((a->ranked = calloc((size_t)n + 1, sizeof(*a->ranked))) == NULL)
        return log_nomem("an aligner");
    for (int i = 0; i < n; i++)
        if (is_requested(a, aligner_backend(rows[i]), options)) {
            rank_last(a, aligner_backend(rows[i]));
            n_requested++;
        }
    if (n_requested == 0)
        return backend_refuse_name(a->table, kernel, a->context.device->kind);
    for (int i = 0; i < n; i++)
        if (rows[i]->kind == a->cpu.kind &&
            !is_excluded(aligner_backend(rows[i]), options) &&
            !is_requested(a, aligner_backend(rows[i]), options))
            rank_last(a, aligner_backend(rows[i]));
    for (int k = 0; k < a->n_ranked; k++)
        complete = complete || takes_all(a, &a->ranked[k]);
    if (!complete) {
        log_error("--kernel %s: no kernel of this build computes such alignments",
                  kernel);
        return ST_EUSAGE;
    }
    a->first_takes_all = takes_all(a, &a->ranked[0]);
    if (a->ranked[0].backend->base.kind != a->context.device->kind)
        backend_log_fallback(a->context.device, "no kernel", "such alignments",
                             &a->ranked[0].backend->base);
    return ST_OK;
}

static int index_of(const aligner_t *a, const aligner_backend_t *backend)
{
    int k = 0;

    while (k < a->n_ranked && a->ranked[k].backend != backend)
        k++;
    return k < a->n_ranked ? k : 0;
}

static void put_first(aligner_t *a, int k)
{
    ranked_backend_t first = a->ranked[k];

    memmove(&a->ranked[1], &a->ranked[0], (size_t)k * sizeof(*a->ranked));
    a->ranked[0] = first;
}

/* Rank the backend first that was the fastest on most of the work, and note the fastest
 * of each length class.  A class with little work goes to the first backend: another one
 * would make a batch wait for it. */
static void apply_trial(aligner_t *a, const double *cells, const trial_outcome_t *trial)
{
    const aligner_backend_t *by_table = a->ranked[0].backend;
    double seconds = 0, tried = 0, all = cells[0];
    int largest = 0;

    for (int c = 1; c < TRIAL_CLASSES; c++) {
        largest = cells[c] > cells[largest] ? c : largest;
        all += cells[c];
    }
    if (trial->best[largest] != NULL)
        put_first(a, index_of(a, trial->best[largest]));
    a->first_takes_all = takes_all(a, &a->ranked[0]);
    for (int c = 0; c < TRIAL_CLASSES; c++) {
        const aligner_backend_t *best = trial->best[c];

        if (best != NULL) {
            tried += cells[c];
            seconds += cells[c] / trial->cells_per_s[c];
        } else {
            best = cells[c] <= TRIAL_FRACTION_MIN * all ? a->ranked[0].backend : by_table;
        }
        a->first_of[c] = index_of(a, best);
        a->first_takes_all = a->first_takes_all && (cells[c] <= 0 || a->first_of[c] == 0);
    }
    a->trial_rate = tried > 0 ? tried / seconds : 0;
}

static status_t run_trial(aligner_t *a, const aligner_options_t *options)
{
    trial_t t = {a->context, a->table, options->cache, clock_now_s};
    double fraction = options->fraction > 0 ? options->fraction : 1;
    double cells[TRIAL_CLASSES], all = 0;
    trial_outcome_t outcome;
    status_t st;

    trial_cells(a->context.set, cells);
    for (int c = 0; c < TRIAL_CLASSES; c++)
        all += cells[c];
    if (fraction * all < TRIAL_WORTH_S * aligner_guess(a)) {
        log_verbose("kernel %s: the first one of the device; so little work needs no "
                    "trial",
                    aligner_name(a));
        return ST_OK;
    }
    if ((st = trial_run(&t, &outcome)) == ST_OK)
        apply_trial(a, cells, &outcome);
    return st;
}

status_t aligner_create(const align_context_t *context, const aligner_options_t *options,
                        aligner_t **out)
{
    aligner_t *a = calloc(1, sizeof(*a));
    status_t st;

    if (a == NULL)
        return log_nomem("an aligner");
    a->cpu = device_cpu();
    a->context = a->on_cpu = *context;
    a->on_cpu.device = &a->cpu;
    a->table = options->table != NULL ? options->table : &aligner_table;
    if ((st = rank_backends(a, options)) != ST_OK)
        goto fail;
    if (options->trial && strcmp(options->kernel, "auto") == 0 &&
        (st = run_trial(a, options)) != ST_OK)
        goto fail;
    if ((st = create_state(a, &a->ranked[0])) != ST_OK)
        goto fail;
    *out = a;
    return ST_OK;
fail:
    aligner_destroy(a);
    return st;
}

const char *aligner_name(const aligner_t *aligner)
{
    return aligner->ranked[0].backend->base.name;
}

double aligner_guess(const aligner_t *aligner)
{
    return aligner->trial_rate > 0
               ? aligner->trial_rate
               : backend_rate(&aligner->ranked[0].backend->base, aligner->context.pool);
}

int aligner_depth(const aligner_t *aligner)
{
    bool several = aligner->ranked[0].backend->depth > 1;

    return several && aligner->context.run.n_buffers != 1 ? ALIGNER_DEPTH : 1;
}

static status_t begin(aligner_t *a, ranked_backend_t *r, int slot,
                      const pair_batch_t *batch)
{
    status_t st = create_state(a, r);

    if (st == ST_OK)
        st = r->backend->submit(r->state, batch);
    r->sub[slot].begun = st == ST_OK;
    return st;
}

/* A backend with a depth begins at once, if it has no batch in flight or can hold
 * several; all others begin when they are waited for. */
static status_t submit(aligner_t *a, ranked_backend_t *r, int slot,
                       const pair_batch_t *batch)
{
    bool alone = a->newest - a->oldest == 1;

    r->sub[slot].begun = false;
    if (r->backend->depth == 0 || (r->backend->depth == 1 && !alone))
        return ST_OK;
    return begin(a, r, slot, batch);
}

status_t aligner_submit(aligner_t *a, const pair_batch_t *batch)
{
    int slot = a->newest++ % ALIGNER_DEPTH;
    status_t st;

    a->batches[slot] = batch;
    if (a->first_takes_all)
        return submit(a, &a->ranked[0], slot, batch);
    if ((st = aligner_split_batch(a, batch, slot)) != ST_OK)
        return st;
    for (int k = 0; st == ST_OK && k < a->n_ranked; k++)
        if (a->ranked[k].sub[slot].batch.n > 0)
            st = submit(a, &a->ranked[k], slot, &a->ranked[k].sub[slot].batch);
    return st;
}

static status_t finish(aligner_t *a, ranked_backend_t *r, int slot,
                       const pair_batch_t *batch)
{
    status_t st = r->sub[slot].begun ? ST_OK : begin(a, r, slot, batch);

    return st != ST_OK ? st : r->backend->wait(r->state, &r->results);
}

/* Finish a batch that was split between backends. */
static status_t finish_split(aligner_t *a, int slot)
{
    status_t st = aligner_split_reserve(a, a->batch->n);

    for (int k = 0; st == ST_OK && k < a->n_ranked; k++) {
        ranked_backend_t *r = &a->ranked[k];
        const sub_batch_t *sub = &r->sub[slot];

        if (sub->batch.n > 0 && (st = finish(a, r, slot, &sub->batch)) == ST_OK)
            aligner_split_merge(a, r, slot);
    }
    if (st == ST_OK && a->context.spec->emit == EMIT_CIGAR)
        st = aligner_split_merge_cigars(a, slot);
    return st;
}

status_t aligner_wait(aligner_t *a, pair_results_t *out)
{
    int slot = a->oldest++ % ALIGNER_DEPTH;
    pair_results_t results;
    status_t st;

    a->batch = a->batches[slot];
    st = a->first_takes_all ? finish(a, &a->ranked[0], slot, a->batch)
                            : finish_split(a, slot);
    if (st != ST_OK)
        return st;
    results = a->first_takes_all ? a->ranked[0].results : a->merged;
    aligner_split_clear_short(a, &results);
    *out = results;
    return ST_OK;
}

void aligner_destroy(aligner_t *a)
{
    if (a == NULL)
        return;
    for (int k = 0; k < a->n_ranked; k++)
        if (a->ranked[k].state != NULL)
            a->ranked[k].backend->destroy(a->ranked[k].state);
    aligner_split_free(a);
    free(a->ranked);
    free(a);
}
