/*
 * job_align_batch.c - the job "align" on a worker: aligns batches of tiles, and single
 * ones again to check them, and packs their results as chunks or hits.
 */
#include "worker/align/job_align_batch.h"

#include "io/base/logmsg.h"
#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_equal.h"
#include "io/store/tile_pack.h"
#include "worker/align/job_align_bounds.h"
#include "worker/align/job_align_edits.h"
#include "worker/align/job_align_filter.h"
#include "worker/align/job_align_memory.h"
#include "worker/align/job_align_pairs.h"
#include "worker/align/job_align_results.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Behind a filter a worker is faster than its aligner, by at most this factor. */
static const double MAX_GAIN = 64;

static int64_t tile_values(const job_align_t *j)
{
    return j->grid.side * j->grid.side;
}

/* @return the estimated rate of all pairs, with those that the filters rule out.  With
 * one that is far too low a run begins with many small batches. */
static double rate_of(const job_align_t *j)
{
    double gain = j->passed > 1 / MAX_GAIN ? 1 / j->passed : MAX_GAIN;

    return aligner_guess(j->aligner) * (j->passed > 0 ? gain : 1);
}

status_t job_align_prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_align_t *j = (job_align_t *)job;
    const device_t *device = &job->device;
    pool_t *pool = job->pool;
    align_context_t context = {device, pool, j->set, &j->spec.align, j->run};
    aligner_options_t options = {.kernel = j->opts->common.kernel, .trial = true};
    size_t scratch = (size_t)pool_n_threads(pool) * (size_t)tile_values(j) + 1;
    status_t st;

    j->device_bytes = !device_is_gpu(device)      ? INT64_MAX
                      : j->opts->device_bytes > 0 ? j->opts->device_bytes
                                                  : device->memory_bytes / 2;
    if ((j->scratch = malloc(scratch * sizeof(*j->scratch))) == NULL)
        return log_nomem("packing tiles");
    if ((st = job_align_hits_prepare(j)) != ST_OK ||
        (st = job_align_filter_prepare(j, device)) != ST_OK ||
        (st = trial_cache_create(j->opts->common.version, &j->trials)) != ST_OK)
        return st;
    options.cache = j->trials;
    options.fraction = j->passed;
    if ((st = aligner_create(&context, &options, &j->aligner)) != ST_OK)
        return st;
    *kernel_name = aligner_name(j->aligner);
    *guess = rate_of(j);
    job->depth = job_align_depth(j);
    job->max_batch = job_align_batch_limit(j);
    return ST_OK;
}

/* Bounds -> list -> filter -> edits -> align.  Without filters `list` lists all pairs and
 * there are no pieces.  Bounds are found here rather than in prepare, because a submit
 * can be cancelled. */
status_t job_align_submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    job_align_t *j = (job_align_t *)job;
    job_align_slot_t *slot = &j->slots[j->newest++ % ALIGNER_DEPTH];
    job_align_pieces_t pieces;
    status_t st = job_align_bounds_find(j);

    if (st != ST_OK || (st = job_align_pairs_list(j, tasks, n, slot, &pieces)) != ST_OK)
        return st;
    while (st == ST_OK && !pieces.is_done)
        if ((st = job_align_pairs_filter(j, slot, &pieces)) == ST_OK &&
            (st = job_align_edits_run(j, &pieces)) == ST_OK)
            st = job_align_pairs_take(j, slot, &pieces);
    if (st == ST_ESTOPPED)
        st = job_align_pairs_drop(j, slot, &pieces);
    if (st != ST_OK)
        return st;
    *n_begun = slot->n_tiles;
    return aligner_submit(j->aligner, &slot->batch);
}

typedef struct {
    const job_align_t *job;
    job_align_slot_t *slot;
    const pair_results_t *results;
    const int32_t *values[PAIRS_N_IDENTITY];
    job_align_collected_t *out;
    atomic_bool has_failed; /* no memory */
} tiles_t;

/* @return how many pairs of a tile have no identity; 0 where only scores are computed */
static int64_t count_without_identity(const tiles_t *t, int64_t k)
{
    const int32_t *columns = t->values[PAIRS_COLUMNS];
    int64_t n = 0;

    if (t->job->spec.n_datasets > PAIRS_COLUMNS)
        for (int64_t at = t->slot->first_pair[k]; at < t->slot->first_pair[k + 1]; at++)
            n += columns[at] == 0;
    return n;
}

/* Concatenate the CIGARs of n pairs. @param lengths  [n] out: the bytes of each */
static status_t append_texts(const tiles_t *t, int64_t first, int64_t n, buf_t *text,
                             int32_t *lengths)
{
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        size_t before = text->len;

        st = job_align_cigar_append(t->job, t->results, first + i, text);
        lengths[i] = (int32_t)(text->len - before);
    }
    return st;
}

/* Put a tile's results for one dataset into its chunk; cells without a pair keep the fill
 * value. */
static status_t scatter_dataset(const tiles_t *t, int64_t k, int d, int32_t *out)
{
    const job_align_t *j = t->job;
    tile_t tile = tile_at(&j->grid, t->slot->tiles[k]);
    int64_t side = j->grid.side, n_values = tile_values(j), at = t->slot->first_pair[k];
    status_t st = ST_OK;

    if (tile_pairs(&tile) < n_values)
        for (int64_t i = 0; i < n_values; i++)
            out[i] = pairs_fill[d];
    for (int64_t row = tile.row0; st == ST_OK && row < tile.row1; row++) {
        int64_t first = tile.col0 > row ? tile.col0 : row + 1;
        int64_t n = tile.col1 - first;
        int32_t *to = out + (row - tile.row0) * side + first - tile.col0;

        if (n <= 0)
            continue;
        if (d == PAIRS_CIGAR_LENGTH)
            st = append_texts(t, at, n, &t->out->texts[k], to);
        else
            memcpy(to, t->values[d] + at, (size_t)n * sizeof(*to));
        at += n;
    }
    return st;
}

static void scatter(void *ctx, int64_t k, int thread)
{
    tiles_t *t = ctx;
    int n_datasets = t->job->spec.n_datasets;
    int64_t n_values = tile_values(t->job);

    (void)thread;
    t->out->n_without[k] = count_without_identity(t, k);
    t->out->texts[k].len = 0;
    for (int d = 0; d < n_datasets; d++)
        if (scatter_dataset(t, k, d, t->out->values + (k * n_datasets + d) * n_values) !=
            ST_OK)
            atomic_store(&t->has_failed, true);
}

static void collected_free(job_align_collected_t *c)
{
    for (int k = 0; c->texts != NULL && k < c->tiles_capacity; k++)
        buf_free(&c->texts[k]);
    free(c->texts);
    free(c->n_without);
    free(c->values);
    job_align_hits_free(&c->hits);
    *c = (job_align_collected_t){0};
}

/* Batches vary a little, so there is room for a quarter more tiles than are needed.  The
 * texts keep their memory when the batch grows, because its pages are in use already. */
static status_t collected_reserve(const job_align_t *j, int n_tiles,
                                  job_align_collected_t *c)
{
    size_t before = (size_t)c->tiles_capacity, n = (size_t)n_tiles + (size_t)n_tiles / 4;
    size_t tile_bytes =
        (size_t)(tile_values(j) * j->spec.n_datasets) * sizeof(*c->values);
    buf_t *texts;

    if (n_tiles <= c->tiles_capacity)
        return ST_OK;
    if ((texts = realloc(c->texts, n * sizeof(*texts))) == NULL)
        return log_nomem("a batch's results");
    memset(texts + before, 0, (n - before) * sizeof(*texts));
    c->texts = texts;
    c->tiles_capacity = (int)n;
    free(c->n_without);
    free(c->values);
    c->n_without = malloc(n * sizeof(*c->n_without));
    c->values = j->is_sparse ? NULL : malloc(n * tile_bytes);
    if (c->n_without != NULL && (c->values != NULL || j->is_sparse))
        return ST_OK;
    collected_free(c);
    return log_nomem("a batch's results");
}

/* The results are valid until the next submit, which comes before they are packed; so
 * they are copied here, in the order of the tiles' chunks, and CIGARs become text, which
 * is a quarter as long. */
static status_t keep_results(job_align_t *j, job_align_slot_t *slot,
                             const pair_results_t *results, job_align_collected_t *out)
{
    job_align_values_t values;
    tiles_t tiles = {.job = j, .slot = slot, .results = results, .out = out};
    status_t st = job_align_identity_collect(j, slot, results, &values);

    if (st != ST_OK || (st = collected_reserve(j, slot->n_tiles, out)) != ST_OK)
        return st;
    if (j->is_sparse)
        return job_align_hits_collect(j, slot, results, &values, out);
    tiles.values[PAIRS_SCORE] = results->score;
    tiles.values[PAIRS_MATCHES] = values.numerator;
    tiles.values[PAIRS_COLUMNS] = values.denominator;
    pool_run(j->base.pool, slot->n_tiles, scatter, &tiles);
    return atomic_load(&tiles.has_failed) ? ST_ENOMEM : ST_OK;
}

status_t job_align_collect(job_t *job, int place)
{
    job_align_t *j = (job_align_t *)job;
    job_align_slot_t *slot = &j->slots[j->oldest++ % ALIGNER_DEPTH];
    pair_results_t results;
    status_t st = aligner_wait(j->aligner, &results);

    if (st != ST_OK || job_is_cancelled(&j->base))
        return st; /* cancelled: the results may be anything, and nobody packs them */
    return keep_results(j, slot, &results, &j->collected[place]);
}

static status_t pack(job_align_t *j, job_align_collected_t *c, int k, int thread,
                     buf_t *out)
{
    int64_t n = tile_values(j);
    int n_datasets = j->spec.n_datasets;
    status_t st = ST_OK;

    if (j->is_sparse)
        return job_align_hits_pack(c, k, out);
    st = buf_append(out, &c->n_without[k], sizeof(c->n_without[k]));
    for (int d = 0; st == ST_OK && d < n_datasets; d++)
        st = tile_pack_append(c->values + (k * n_datasets + d) * n, n,
                              j->scratch + thread * n, out);
    if (st == ST_OK && job_align_cigar_is_stored(j))
        st = pairs_cigar_pack(&j->grid, &c->texts[k], out);
    return st;
}

status_t job_align_pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    job_align_t *j = (job_align_t *)job;

    return pack(j, &j->collected[place], k, thread, out);
}

/* The definition is the CPU's kernel "scalar".  Another kernel is the best one of the
 * device that is not in use. */
static status_t create_checker(job_align_t *j, job_align_checker_t *c, job_how_t how)
{
    bool by_definition = how == JOB_REFERENCE;
    align_context_t context = {by_definition ? &j->cpu : &j->base.device, j->base.pool,
                               j->set, &j->spec.align, j->run};
    aligner_options_t options = {.kernel = by_definition ? "scalar" : "auto",
                                 .except =
                                     by_definition ? NULL : aligner_name(j->aligner)};

    if (c->aligner != NULL)
        return ST_OK;
    j->cpu = device_cpu();
    return aligner_create(&context, &options, &c->aligner);
}

/* As submit and collect, without the edit filter. */
status_t job_align_check(job_t *job, int64_t task, job_how_t how, buf_t *out)
{
    job_align_t *j = (job_align_t *)job;
    job_align_checker_t *c = &j->checkers[how == JOB_REFERENCE];
    job_align_pieces_t pieces;
    pair_results_t results;
    status_t st = create_checker(j, c, how);

    if (st == ST_OK)
        st = job_align_pairs_list(j, &task, 1, &c->slot, &pieces);
    while (st == ST_OK && !pieces.is_done)
        if ((st = job_align_pairs_filter(j, &c->slot, &pieces)) == ST_OK)
            st = job_align_pairs_take(j, &c->slot, &pieces);
    if (st != ST_OK || (st = aligner_submit(c->aligner, &c->slot.batch)) != ST_OK ||
        (st = aligner_wait(c->aligner, &results)) != ST_OK)
        return job_is_cancelled(&j->base) ? ST_OK : st;
    if ((st = keep_results(j, &c->slot, &results, &c->collected)) != ST_OK)
        return st;
    return pack(j, &c->collected, 0, 0, out);
}

status_t job_align_equal(const job_t *job, const buf_t *a, const buf_t *b, bool *equal)
{
    const job_align_t *j = (const job_align_t *)job;

    return j->is_sparse ? pairs_equal_hits(a, b, equal)
                        : pairs_equal_tiles(&j->grid, j->spec.n_datasets,
                                            job_align_cigar_is_stored(j), a, b, equal);
}

static void slot_free(job_align_slot_t *s)
{
    free(s->pairs);
    free(s->tiles);
    free(s->first_pair);
    free(s->dropped);
    *s = (job_align_slot_t){0};
}

static void checker_free(job_align_checker_t *c)
{
    aligner_destroy(c->aligner);
    c->aligner = NULL;
    slot_free(&c->slot);
    collected_free(&c->collected);
}

void job_align_batch_free(job_align_t *j)
{
    for (int k = 0; k < ALIGNER_DEPTH; k++)
        slot_free(&j->slots[k]);
    j->newest = j->oldest = 0;
    for (int k = 0; k < JOB_PLACES; k++)
        collected_free(&j->collected[k]);
    for (int k = 0; k < 2; k++)
        checker_free(&j->checkers[k]);
    free(j->scratch);
    j->scratch = NULL;
    pairs_top_destroy(j->top);
    j->top = NULL;
}
