#include "kernels/align/engine/aligner.h"

#include "io/base/logmsg.h"
#include "kernels/align/cpu/scalar.h"
#include "kernels/align/cpu/simd.h"
#include "kernels/align/engine/aligner_parts.h"
#include "kernels/align/engine/trial.h"
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/align/bscan/bscan_cuda.h"
#include "kernels/align/rscan/dscan.h"
#include "kernels/align/rscan/rscan.h"
#include "kernels/align/tiled/tiled_dscan_cuda.h"
#endif

#include <stdlib.h>
#include <string.h>

static const double TRIAL_WORTH_S = 5; /* work of so long is worth a trial */

static const aligner_backend_t *const backends[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &bscan_cuda_backend, &rscan_backend, &dscan_backend,  &tiled_dscan_backend,
#endif
    &bscan_backend,      &simd_backend,  &scalar_backend, NULL};

const aligner_backend_t *const *aligner_backends(void)
{
    return backends;
}

static status_t make_state(aligner_t *a, aligner_share_t *share)
{
    if (share->state != NULL)
        return ST_OK;
    return share->backend->create(aligner_context_of(a, share), &share->state);
}

static status_t refuse_kernel(const device_t *device, const char *kernel)
{
    char names[128] = "";

    for (int i = 0; backends[i] != NULL; i++)
        if (backends[i]->kind == device->kind) {
            strcat(names, " ");
            strcat(names, backends[i]->name);
        }
    log_error("--kernel %s: no such kernel for this device; it has: auto%s", kernel,
              names);
    return ST_EUSAGE;
}

/* The rows to ask, in order: the named one or the device's, then the CPU's. */
static status_t choose_rows(aligner_t *a, const char *kernel)
{
    bool is_auto = strcmp(kernel, "auto") == 0;

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; backends[i] != NULL; i++) {
            const aligner_backend_t *b = backends[i];
            bool wanted = is_auto ? b->kind == a->context.device->kind
                                  : b->kind == a->context.device->kind &&
                                        strcmp(b->name, kernel) == 0;
            bool chosen = false;

            for (int k = 0; k < a->n_shares; k++)
                chosen = chosen || a->shares[k].backend == b;
            if (!chosen && (pass == 0 ? wanted : b->kind == DEVICE_CPU))
                a->shares[a->n_shares++].backend = b;
        }
    if (!is_auto && (strcmp(a->shares[0].backend->name, kernel) != 0 ||
                     a->shares[0].backend->kind != a->context.device->kind))
        return refuse_kernel(a->context.device, kernel);
    return ST_OK;
}

/* Whether a row takes every pair of lengths up to the longest: then none is asked about.
 */
static bool takes_all(const aligner_t *a, const aligner_share_t *share)
{
    return share->most >= seqset_max_len(a->context.set);
}

/* Asking a row about each pair would take longer than some pairs do. */
static void find_max(const aligner_t *a, aligner_share_t *share)
{
    int64_t above = seqset_max_len(a->context.set) + 1;

    share->most = 0;
    while (above - share->most > 1) {
        int64_t len = share->most + (above - share->most) / 2;

        if (aligner_backend_takes(share->backend, aligner_context_of(a, share), len, len))
            share->most = len;
        else
            above = len;
    }
}

static int share_of(const aligner_t *a, const aligner_backend_t *backend)
{
    int k = 0;

    while (k < a->n_shares && a->shares[k].backend != backend)
        k++;
    return k < a->n_shares ? k : 0;
}

static void put_first(aligner_t *a, int k)
{
    aligner_share_t share = a->shares[k];

    memmove(&a->shares[1], &a->shares[0], (size_t)k * sizeof(aligner_share_t));
    a->shares[0] = share;
}

/* Put the row that is best for most of the work first, and note each class's own.  What
 * is little work goes with the most: another row would make a batch wait for it. */
static void rank_rows(aligner_t *a, const double *cells, const trial_outcome_t *trial)
{
    const aligner_backend_t *otherwise = a->shares[0].backend;
    double seconds = 0, tried = 0, all = cells[0];
    int most = 0;

    for (int c = 1; c < TRIAL_CLASSES; c++) {
        most = cells[c] > cells[most] ? c : most;
        all += cells[c];
    }
    if (trial->best[most] != NULL)
        put_first(a, share_of(a, trial->best[most]));
    a->first_takes_all = takes_all(a, &a->shares[0]);
    for (int c = 0; c < TRIAL_CLASSES; c++) {
        const aligner_backend_t *best = trial->best[c];

        if (best != NULL) {
            tried += cells[c];
            seconds += cells[c] / trial->cells_per_s[c];
        } else {
            best = cells[c] <= TRIAL_PART_MIN * all ? a->shares[0].backend : otherwise;
        }
        a->first[c] = share_of(a, best);
        a->first_takes_all = a->first_takes_all && (cells[c] <= 0 || a->first[c] == 0);
    }
    a->tried_rate = tried > 0 ? tried / seconds : 0;
}

static status_t try_rows(aligner_t *a, const trial_cache_t *cache)
{
    trial_t t = {a->context, a->backends, cache};
    double cells[TRIAL_CLASSES], all = 0;
    trial_outcome_t trial;
    status_t st;

    trial_cells(a->context.set, cells);
    for (int c = 0; c < TRIAL_CLASSES; c++)
        all += cells[c];
    if (all < TRIAL_WORTH_S * aligner_guess(a)) {
        log_verbose("kernel %s: the device's first; a few seconds' work needs no trial",
                    aligner_name(a));
        return ST_OK;
    }
    if ((st = trial_run(&t, &trial)) == ST_OK)
        rank_rows(a, cells, &trial);
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
    a->backends = options->backends != NULL ? options->backends : backends;
    if ((st = choose_rows(a, options->kernel)) != ST_OK)
        goto fail;
    for (int k = 0; k < a->n_shares; k++)
        find_max(a, &a->shares[k]);
    while (a->n_shares > 1 && a->shares[0].most < 1)
        memmove(&a->shares[0], &a->shares[1],
                (size_t)--a->n_shares * sizeof(aligner_share_t));
    a->first_takes_all = takes_all(a, &a->shares[0]);
    if (options->trial && strcmp(options->kernel, "auto") == 0 &&
        (st = try_rows(a, options->cache)) != ST_OK)
        goto fail;
    if ((st = make_state(a, &a->shares[0])) != ST_OK)
        goto fail;
    *out = a;
    return ST_OK;
fail:
    aligner_destroy(a);
    return st;
}

const char *aligner_name(const aligner_t *aligner)
{
    return aligner->shares[0].backend->name;
}

double aligner_guess(const aligner_t *aligner)
{
    const aligner_share_t *share = &aligner->shares[0];
    int n =
        share->backend->kind == DEVICE_CPU ? pool_n_threads(aligner->context.pool) : 1;

    return aligner->tried_rate > 0 ? aligner->tried_rate
                                   : share->backend->cells_per_s * n;
}

int aligner_depth(const aligner_t *aligner)
{
    bool several = aligner->shares[0].backend->depth > 1;

    return several && aligner->context.run.n_buffers != 1 ? ALIGNER_DEPTH : 1;
}

static status_t begin_share(aligner_t *a, aligner_share_t *share, int slot,
                            const pair_batch_t *batch)
{
    status_t st = make_state(a, share);

    if (st == ST_OK)
        st = share->backend->submit(share->state, batch);
    share->parts[slot].begun = st == ST_OK;
    return st;
}

/* A GPU's row begins at once, if it has no batch or can hold several; the others do when
 * they are waited for. */
static status_t submit_share(aligner_t *a, aligner_share_t *share, int slot,
                             const pair_batch_t *batch)
{
    bool alone = a->newest - a->oldest == 1;

    share->parts[slot].begun = false;
    if (share->backend->kind == DEVICE_CPU || (share->backend->depth <= 1 && !alone))
        return ST_OK;
    return begin_share(a, share, slot, batch);
}

status_t aligner_submit(aligner_t *a, const pair_batch_t *batch)
{
    int slot = a->newest++ % ALIGNER_DEPTH;
    status_t st;

    a->batches[slot] = batch;
    if (a->first_takes_all)
        return submit_share(a, &a->shares[0], slot, batch);
    if ((st = aligner_parts_deal(a, batch, slot)) != ST_OK)
        return st;
    for (int k = 0; st == ST_OK && k < a->n_shares; k++)
        if (a->shares[k].parts[slot].batch.n > 0)
            st = submit_share(a, &a->shares[k], slot, &a->shares[k].parts[slot].batch);
    return st;
}

/* Have one row's share of the batch done. */
static status_t finish_share(aligner_t *a, aligner_share_t *share, int slot,
                             const pair_batch_t *batch)
{
    status_t st = share->parts[slot].begun ? ST_OK : begin_share(a, share, slot, batch);

    return st != ST_OK ? st : share->backend->wait(share->state, &share->results);
}

/* Finish a batch that several rows share. */
static status_t finish_parts(aligner_t *a, int slot)
{
    status_t st = aligner_parts_reserve(a, a->batch->n);

    for (int k = 0; st == ST_OK && k < a->n_shares; k++) {
        aligner_share_t *share = &a->shares[k];
        const aligner_part_t *part = &share->parts[slot];

        if (part->batch.n > 0 &&
            (st = finish_share(a, share, slot, &part->batch)) == ST_OK)
            aligner_parts_merge(a, share, slot);
    }
    if (st == ST_OK && a->context.spec->emit == EMIT_CIGAR)
        st = aligner_parts_merge_cigars(a, slot);
    return st;
}

status_t aligner_wait(aligner_t *a, pair_results_t *out)
{
    int slot = a->oldest++ % ALIGNER_DEPTH;
    pair_results_t results;
    status_t st;

    a->batch = a->batches[slot];
    st = a->first_takes_all ? finish_share(a, &a->shares[0], slot, a->batch)
                            : finish_parts(a, slot);
    if (st != ST_OK)
        return st;
    results = a->first_takes_all ? a->shares[0].results : a->merged;
    aligner_parts_drop_short(a, &results);
    *out = results;
    return ST_OK;
}

void aligner_destroy(aligner_t *a)
{
    if (a == NULL)
        return;
    for (int k = 0; k < a->n_shares; k++)
        if (a->shares[k].state != NULL)
            a->shares[k].backend->destroy(a->shares[k].state);
    aligner_parts_free(a);
    free(a);
}
