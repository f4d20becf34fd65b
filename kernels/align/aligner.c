#include "kernels/align/aligner.h"

#include "io/logmsg.h"
#include "kernels/align/scalar.h"
#include "kernels/align/simd.h"
#include "kernels/align/trial.h"
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/align/bscan_cuda.h"
#include "kernels/align/dscan.h"
#include "kernels/align/rscan.h"
#endif

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 8 };

static const double TRIAL_WORTH_S = 5; /* work of so long is worth a trial */

static const aligner_backend_t *const backends[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &bscan_cuda_backend, &rscan_backend, &dscan_backend, &plain_backend,
#endif
    &bscan_backend, &simd_backend, &scalar_backend, NULL};

/* The pairs of a batch that one row takes, where they are not all. */
typedef struct {
    pair_t *pairs;
    int64_t *index; /* [batch.n] into the batch */
    pair_batch_t batch;
} part_t;

typedef struct {
    const aligner_backend_t *backend;
    void *state; /* made when first needed */
    part_t parts[ALIGNER_DEPTH];
    pair_results_t results; /* the row's, of the batch that was waited for last */
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
    const pair_batch_t *batches[ALIGNER_DEPTH];
    int newest, oldest; /* batches begun and waited for, counted from 0 */
    int64_t part_capacity[ALIGNER_DEPTH];
    const pair_batch_t *batch; /* that is waited for */
    int64_t capacity;
    pair_results_t merged; /* [capacity] where several rows answer */
    int64_t *cigar_start;  /* [capacity + 1] merged.cigar_start */
    buf_t cigar;           /* merged.cigar */
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

/* Room for a batch's pairs in every share, ... */
static status_t grow_parts(aligner_t *a, int slot, int64_t n)
{
    bool good = true;

    if (n <= a->part_capacity[slot])
        return ST_OK;
    a->part_capacity[slot] = 0;
    for (int k = 0; k < a->n_shares; k++) {
        part_t *part = &a->shares[k].parts[slot];

        free(part->pairs);
        free(part->index);
        part->pairs = malloc((size_t)n * sizeof(pair_t));
        part->index = malloc((size_t)n * sizeof(int64_t));
        good = good && part->pairs != NULL && part->index != NULL;
    }
    if (!good)
        return log_nomem("a batch");
    a->part_capacity[slot] = n;
    return ST_OK;
}

/* ... and for the results of all shares. */
static status_t grow_merged(aligner_t *a, int64_t n)
{
    bool identity = align_has_identity(a->spec);

    if (n <= a->capacity)
        return ST_OK;
    a->capacity = 0;
    free(a->merged.score);
    free(a->merged.matches);
    free(a->merged.columns);
    a->merged.score = malloc((size_t)n * sizeof(int32_t));
    a->merged.matches = identity ? malloc((size_t)n * sizeof(int32_t)) : NULL;
    a->merged.columns = identity ? malloc((size_t)n * sizeof(int32_t)) : NULL;
    free(a->cigar_start);
    a->cigar_start = malloc((size_t)(n + 1) * sizeof(int64_t));
    if (a->merged.score == NULL || a->cigar_start == NULL ||
        (identity && (a->merged.matches == NULL || a->merged.columns == NULL)))
        return log_nomem("a batch");
    a->capacity = n;
    return ST_OK;
}

/* Give each pair to its class's row, or else to the first one that takes it; the last,
 * scalar, takes all. */
static void deal(aligner_t *a, const pair_batch_t *batch, int slot)
{
    for (int k = 0; k < a->n_shares; k++) {
        part_t *part = &a->shares[k].parts[slot];

        part->batch = (pair_batch_t){part->pairs, 0};
    }
    for (int64_t i = 0; i < batch->n; i++) {
        int64_t m = seqset_len(a->set, batch->pairs[i].query);
        int64_t n = seqset_len(a->set, batch->pairs[i].target);
        share_t *share = &a->shares[a->first[trial_class(m, n)]];
        part_t *part;

        if (!share->backend->takes(device_of(a, share), a->spec, m, n))
            share = a->shares;
        while (!share->backend->takes(device_of(a, share), a->spec, m, n))
            share++;
        part = &share->parts[slot];
        part->index[part->batch.n] = i;
        part->pairs[part->batch.n++] = batch->pairs[i];
    }
}

/* A row that holds several batches begins at once; the others do when waited for. */
static status_t submit_share(aligner_t *a, share_t *share, const pair_batch_t *batch)
{
    status_t st = make_state(a, share);

    return st != ST_OK ? st : share->backend->submit(share->state, batch);
}

status_t aligner_submit(aligner_t *a, const pair_batch_t *batch)
{
    int slot = a->newest++ % ALIGNER_DEPTH;
    status_t st;

    a->batches[slot] = batch;
    if (a->first_takes_all)
        return a->shares[0].backend->depth > 1 ? submit_share(a, &a->shares[0], batch)
                                               : ST_OK;
    if ((st = grow_parts(a, slot, batch->n)) != ST_OK)
        return st;
    deal(a, batch, slot);
    for (int k = 0; st == ST_OK && k < a->n_shares; k++)
        if (a->shares[k].backend->depth > 1 && a->shares[k].parts[slot].batch.n > 0)
            st = submit_share(a, &a->shares[k], &a->shares[k].parts[slot].batch);
    return st;
}

/* Have one row's share of the batch done. */
static status_t finish_share(aligner_t *a, share_t *share, const pair_batch_t *batch)
{
    status_t st =
        share->backend->depth > 1 ? ST_OK : submit_share(a, share, batch);

    return st != ST_OK ? st : share->backend->wait(share->state, &share->results);
}

/* Put a share's results among the others'. */
static void merge_share(aligner_t *a, const share_t *share, const part_t *part)
{
    const pair_results_t *from = &share->results;

    for (int64_t i = 0; i < part->batch.n; i++) {
        int64_t at = part->index[i];

        a->merged.score[at] = from->score[i];
        if (a->merged.matches != NULL) {
            a->merged.matches[at] = from->matches[i];
            a->merged.columns[at] = from->columns[i];
        }
        if (from->cigar_start != NULL) /* for now, how many */
            a->cigar_start[at + 1] = from->cigar_start[i + 1] - from->cigar_start[i];
    }
}

/* Put the rows' CIGARs in the batch's order. */
static status_t merge_cigars(aligner_t *a, int slot)
{
    uint32_t *to;
    status_t st;

    a->cigar_start[0] = 0;
    for (int64_t i = 0; i < a->batch->n; i++)
        a->cigar_start[i + 1] += a->cigar_start[i];
    st = buf_reserve(&a->cigar,
                     (size_t)(a->cigar_start[a->batch->n] + 1) * sizeof(uint32_t));
    if (st != ST_OK)
        return st;
    to = (uint32_t *)(void *)a->cigar.data;
    for (int k = 0; k < a->n_shares; k++) {
        const pair_results_t *from = &a->shares[k].results;
        const part_t *part = &a->shares[k].parts[slot];

        for (int64_t i = 0; i < part->batch.n; i++)
            memcpy(to + a->cigar_start[part->index[i]],
                   from->cigar + from->cigar_start[i],
                   (size_t)(from->cigar_start[i + 1] - from->cigar_start[i]) *
                       sizeof(uint32_t));
    }
    a->merged.cigar_start = a->cigar_start;
    a->merged.cigar = to;
    return ST_OK;
}

static void drop_short_overlaps(const aligner_t *a, pair_results_t *out)
{
    if (!align_has_identity(a->spec) || a->spec->ends == ENDS_COUNT)
        return;
    for (int64_t i = 0; i < a->batch->n; i++) {
        int64_t m = seqset_len(a->set, a->batch->pairs[i].query);
        int64_t n = seqset_len(a->set, a->batch->pairs[i].target);

        if (!align_overlap_suffices(a->spec, m, n, out->columns[i]))
            out->matches[i] = out->columns[i] = 0;
    }
}

/* Finish a batch that several rows share. */
static status_t finish_parts(aligner_t *a, int slot)
{
    status_t st = grow_merged(a, a->batch->n);

    for (int k = 0; st == ST_OK && k < a->n_shares; k++) {
        share_t *share = &a->shares[k];
        const part_t *part = &share->parts[slot];

        if (part->batch.n > 0 && (st = finish_share(a, share, &part->batch)) == ST_OK)
            merge_share(a, share, part);
    }
    if (st == ST_OK && a->spec->emit == EMIT_CIGAR)
        st = merge_cigars(a, slot);
    return st;
}

status_t aligner_wait(aligner_t *a, pair_results_t *out)
{
    int slot = a->oldest++ % ALIGNER_DEPTH;
    pair_results_t results;
    status_t st;

    a->batch = a->batches[slot];
    st = a->first_takes_all ? finish_share(a, &a->shares[0], a->batch)
                            : finish_parts(a, slot);
    if (st != ST_OK)
        return st;
    results = a->first_takes_all ? a->shares[0].results : a->merged;
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
        for (int slot = 0; slot < ALIGNER_DEPTH; slot++) {
            free(a->shares[k].parts[slot].pairs);
            free(a->shares[k].parts[slot].index);
        }
    }
    free(a->merged.score);
    free(a->merged.matches);
    free(a->merged.columns);
    free(a->cigar_start);
    buf_free(&a->cigar);
    free(a);
}
