#include "kernels/align/aligner.h"

#include "io/logmsg.h"
#include "kernels/align/scalar.h"
#include "kernels/align/simd.h"
#include "kernels/align/trial.h"
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/align/dscan.h"
#endif

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 8 };

static const double TRIAL_WORTH_S = 5; /* work of so long is worth a trial */

static const aligner_backend_t *const backends[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &dscan_backend,
#endif
    &bscan_backend, &simd_backend, &scalar_backend, NULL};

/* The pairs of a batch that one row takes, where they are not all. */
typedef struct {
    const aligner_backend_t *backend;
    void *state; /* made when first needed */
    pair_t *pairs;
    int64_t *index; /* [n] into the batch */
    int64_t n;
} share_t;

struct aligner {
    const device_t *device;
    device_t cpu; /* where pairs go that the device's rows do not take */
    pool_t *pool;
    const seqset_t *set;
    const align_spec_t *spec;
    share_t shares[ROWS_MAX]; /* in order of preference */
    int n_shares;
    int first[TRIAL_CLASSES]; /* the share to ask first, by length class */
    bool first_takes_all;
    double tried_rate; /* cells/s; 0: no trial */
    const pair_batch_t *batch;
    int64_t capacity;
    pair_results_t merged; /* [capacity] where several rows answer */
};

const aligner_backend_t *const *aligner_backends(void)
{
    return backends;
}

static const device_t *device_of(const aligner_t *a, const share_t *share)
{
    return share->backend->kind == a->device->kind ? a->device : &a->cpu;
}

static status_t make_state(aligner_t *a, share_t *share)
{
    if (share->state != NULL)
        return ST_OK;
    return share->backend->create(device_of(a, share), a->pool, a->set, a->spec,
                                  &share->state);
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
            bool wanted =
                is_auto ? b->kind == a->device->kind
                        : b->kind == a->device->kind && strcmp(b->name, kernel) == 0;
            bool chosen = false;

            for (int k = 0; k < a->n_shares; k++)
                chosen = chosen || a->shares[k].backend == b;
            if (!chosen && (pass == 0 ? wanted : b->kind == DEVICE_CPU))
                a->shares[a->n_shares++].backend = b;
        }
    if (!is_auto && (strcmp(a->shares[0].backend->name, kernel) != 0 ||
                     a->shares[0].backend->kind != a->device->kind))
        return refuse_kernel(a->device, kernel);
    return ST_OK;
}

/* Whether a row takes every pair of lengths up to the longest: then none is asked about.
 */
static bool takes_all(const aligner_t *a, const share_t *share)
{
    int64_t longest = seqset_max_len(a->set);

    return share->backend->takes(device_of(a, share), a->spec, longest, longest);
}

static int share_of(const aligner_t *a, const aligner_backend_t *backend)
{
    int k = 0;

    while (k < a->n_shares && a->shares[k].backend != backend)
        k++;
    return k < a->n_shares ? k : 0;
}

/* Put the row that is best for most of the work first, and note each class's own. */
static void rank_rows(aligner_t *a, const double *cells, const trial_outcome_t *trial)
{
    const aligner_backend_t *otherwise = a->shares[0].backend, *best;
    double seconds = 0, tried = 0;
    int most = 0;

    for (int c = 1; c < TRIAL_CLASSES; c++)
        most = cells[c] > cells[most] ? c : most;
    if ((best = trial->best[most]) != NULL) {
        int k = share_of(a, best);
        share_t share = a->shares[k];

        memmove(&a->shares[1], &a->shares[0], (size_t)k * sizeof(share_t));
        a->shares[0] = share;
    }
    a->first_takes_all = takes_all(a, &a->shares[0]);
    for (int c = 0; c < TRIAL_CLASSES; c++) {
        best = trial->best[c] != NULL ? trial->best[c] : otherwise;
        a->first[c] = share_of(a, best);
        a->first_takes_all = a->first_takes_all && (cells[c] <= 0 || a->first[c] == 0);
        if (trial->best[c] != NULL) {
            tried += cells[c];
            seconds += cells[c] / trial->cells_per_s[c];
        }
    }
    a->tried_rate = tried > 0 ? tried / seconds : 0;
}

static status_t try_rows(aligner_t *a, const aligner_memory_t *memory)
{
    trial_t t = {a->device, a->pool, a->set, a->spec, backends, memory};
    double cells[TRIAL_CLASSES], all = 0;
    trial_outcome_t trial;
    status_t st;

    trial_cells(a->set, cells);
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

/* @param tried  whether "auto" is by trial */
static status_t create(const device_t *device, pool_t *pool, const char *kernel,
                       const seqset_t *set, const align_spec_t *spec, bool tried,
                       const aligner_memory_t *memory, aligner_t **out)
{
    aligner_t *a = calloc(1, sizeof(*a));
    status_t st;

    if (a == NULL)
        return log_nomem("an aligner");
    a->device = device;
    a->cpu = device_cpu();
    a->pool = pool;
    a->set = set;
    a->spec = spec;
    if ((st = choose_rows(a, kernel)) != ST_OK)
        goto fail;
    while (a->n_shares > 1 && !takes_all(a, &a->shares[0]) &&
           !a->shares[0].backend->takes(device_of(a, &a->shares[0]), spec, 1, 1))
        memmove(&a->shares[0], &a->shares[1], (size_t)--a->n_shares * sizeof(share_t));
    a->first_takes_all = takes_all(a, &a->shares[0]);
    if (tried && strcmp(kernel, "auto") == 0 && (st = try_rows(a, memory)) != ST_OK)
        goto fail;
    if ((st = make_state(a, &a->shares[0])) != ST_OK)
        goto fail;
    *out = a;
    return ST_OK;
fail:
    aligner_destroy(a);
    return st;
}

status_t aligner_create(const device_t *device, pool_t *pool, const char *kernel,
                        const seqset_t *set, const align_spec_t *spec, aligner_t **out)
{
    return create(device, pool, kernel, set, spec, false, NULL, out);
}

status_t aligner_create_tried(const device_t *device, pool_t *pool, const char *kernel,
                              const seqset_t *set, const align_spec_t *spec,
                              const aligner_memory_t *memory, aligner_t **out)
{
    return create(device, pool, kernel, set, spec, true, memory, out);
}

const char *aligner_name(const aligner_t *aligner)
{
    return aligner->shares[0].backend->name;
}

double aligner_guess(const aligner_t *aligner)
{
    const share_t *share = &aligner->shares[0];
    int n = share->backend->kind == DEVICE_CPU ? pool_n_threads(aligner->pool) : 1;

    return aligner->tried_rate > 0 ? aligner->tried_rate
                                   : share->backend->cells_per_s * n;
}

static status_t grow(aligner_t *a, int64_t n)
{
    bool good = true, identity = a->spec->emit == EMIT_IDENTITY;

    if (n <= a->capacity)
        return ST_OK;
    a->capacity = 0;
    for (int k = 0; k < a->n_shares; k++) {
        free(a->shares[k].pairs);
        free(a->shares[k].index);
        a->shares[k].pairs = malloc((size_t)n * sizeof(pair_t));
        a->shares[k].index = malloc((size_t)n * sizeof(int64_t));
        good = good && a->shares[k].pairs != NULL && a->shares[k].index != NULL;
    }
    free(a->merged.score);
    free(a->merged.matches);
    free(a->merged.columns);
    a->merged.score = malloc((size_t)n * sizeof(int32_t));
    a->merged.matches = identity ? malloc((size_t)n * sizeof(int32_t)) : NULL;
    a->merged.columns = identity ? malloc((size_t)n * sizeof(int32_t)) : NULL;
    if (!good || a->merged.score == NULL ||
        (identity && (a->merged.matches == NULL || a->merged.columns == NULL)))
        return log_nomem("a batch");
    a->capacity = n;
    return ST_OK;
}

/* Give each pair to its class's row, or else to the first one that takes it; the last,
 * scalar, takes all. */
static void deal(aligner_t *a, const pair_batch_t *batch)
{
    for (int k = 0; k < a->n_shares; k++)
        a->shares[k].n = 0;
    for (int64_t i = 0; i < batch->n; i++) {
        int64_t m = seqset_len(a->set, batch->pairs[i].query);
        int64_t n = seqset_len(a->set, batch->pairs[i].target);
        share_t *share = &a->shares[a->first[trial_class(m, n)]];

        if (!share->backend->takes(device_of(a, share), a->spec, m, n))
            share = a->shares;
        while (!share->backend->takes(device_of(a, share), a->spec, m, n))
            share++;
        share->index[share->n] = i;
        share->pairs[share->n++] = batch->pairs[i];
    }
}

status_t aligner_submit(aligner_t *a, const pair_batch_t *batch)
{
    status_t st;

    a->batch = batch;
    if (a->first_takes_all)
        return a->shares[0].backend->submit(a->shares[0].state, batch);
    if ((st = grow(a, batch->n)) != ST_OK)
        return st;
    deal(a, batch);
    return ST_OK;
}

/* Run one row's share and put its results among the others'. */
static status_t run_share(aligner_t *a, share_t *share)
{
    pair_batch_t batch = {share->pairs, share->n};
    pair_results_t part;
    status_t st = make_state(a, share);

    if (st != ST_OK || (st = share->backend->submit(share->state, &batch)) != ST_OK ||
        (st = share->backend->wait(share->state, &part)) != ST_OK)
        return st;
    for (int64_t i = 0; i < share->n; i++) {
        int64_t at = share->index[i];

        a->merged.score[at] = part.score[i];
        if (a->merged.matches != NULL) {
            a->merged.matches[at] = part.matches[i];
            a->merged.columns[at] = part.columns[i];
        }
    }
    return ST_OK;
}

static void drop_short_overlaps(const aligner_t *a, pair_results_t *out)
{
    if (a->spec->emit != EMIT_IDENTITY || a->spec->ends == ENDS_COUNT)
        return;
    for (int64_t i = 0; i < a->batch->n; i++) {
        int64_t m = seqset_len(a->set, a->batch->pairs[i].query);
        int64_t n = seqset_len(a->set, a->batch->pairs[i].target);

        if (!align_overlap_suffices(a->spec, m, n, out->columns[i]))
            out->matches[i] = out->columns[i] = 0;
    }
}

status_t aligner_wait(aligner_t *a, pair_results_t *out)
{
    pair_results_t results = a->merged;
    status_t st = ST_OK;

    if (a->first_takes_all)
        st = a->shares[0].backend->wait(a->shares[0].state, &results);
    for (int k = 0; st == ST_OK && !a->first_takes_all && k < a->n_shares; k++)
        if (a->shares[k].n > 0)
            st = run_share(a, &a->shares[k]);
    if (st != ST_OK)
        return st;
    drop_short_overlaps(a, &results);
    *out = results;
    return ST_OK;
}

void aligner_destroy(aligner_t *a)
{
    if (a == NULL)
        return;
    for (int k = 0; k < a->n_shares; k++) {
        if (a->shares[k].state != NULL)
            a->shares[k].backend->destroy(a->shares[k].state);
        free(a->shares[k].pairs);
        free(a->shares[k].index);
    }
    free(a->merged.score);
    free(a->merged.matches);
    free(a->merged.columns);
    free(a);
}
