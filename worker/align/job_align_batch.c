/*
 * job_align_batch.c - the job "align" on a worker: aligns batches of tiles, and packs
 * their results as chunks or hits.
 */
#include "worker/align/job_align_batch.h"

#include "io/base/logmsg.h"
#include "io/store/tile_pack.h"
#include "worker/align/job_align_bounds.h"
#include "worker/align/job_align_edits.h"
#include "worker/align/job_align_filter.h"
#include "worker/align/job_align_pairs.h"
#include "worker/align/job_align_results.h"

#include <stdlib.h>
#include <string.h>

static int64_t tile_values(const job_align_t *j)
{
    return j->grid.side * j->grid.side;
}

/* Datasets with one value per pair; CIGARs are no such dataset. */
static int n_value_sets(const job_align_t *j)
{
    return j->spec.n_datasets == PAIRS_N_CIGAR ? PAIRS_N_IDENTITY : j->spec.n_datasets;
}

status_t job_align_prepare(void *job, const device_t *device, pool_t *pool,
                           const char **kernel_name, double *guess)
{
    job_align_t *j = job;
    align_context_t context = {device, pool, j->set, &j->spec.align, j->run};
    aligner_options_t options = {.kernel = j->opts->kernel, .trial = true};
    size_t scratch = (size_t)pool_n_threads(pool) * (size_t)tile_values(j) + 1;
    status_t st;

    j->pool = pool;
    j->device_bytes = device->kind == DEVICE_CPU  ? INT64_MAX
                      : j->opts->device_bytes > 0 ? j->opts->device_bytes
                                                  : device->memory_bytes / 2;
    if ((j->scratch = malloc(scratch * sizeof(*j->scratch))) == NULL)
        return log_nomem("packing tiles");
    if ((st = job_align_cigar_prepare(j)) != ST_OK ||
        (st = job_align_hits_prepare(j)) != ST_OK ||
        (st = job_align_filter_prepare(j, device)) != ST_OK ||
        (st = trial_cache_create(j->opts->version, &j->trials)) != ST_OK)
        return st;
    options.cache = j->trials;
    if ((st = aligner_create(&context, &options, &j->aligner)) != ST_OK)
        return st;
    *kernel_name = aligner_name(j->aligner);
    *guess = aligner_guess(j->aligner);
    return ST_OK;
}

/* Bounds -> list -> filter -> edits -> align.  Without filters `list` lists all pairs and
 * there are no pieces.  Bounds are found here rather than in prepare, because a submit
 * can be cancelled. */
status_t job_align_submit(void *job, const int64_t *tasks, int n, int *n_begun)
{
    job_align_t *j = job;
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
    const int32_t *results[PAIRS_DATASETS_MAX];
} tiles_t;

/* @return how many pairs of a tile have no identity; 0 where only scores are computed */
static int64_t count_without_identity(const tiles_t *t, int64_t k)
{
    const int32_t *columns = t->results[PAIRS_COLUMNS];
    int64_t n = 0;

    if (n_value_sets(t->job) > PAIRS_COLUMNS)
        for (int64_t at = t->slot->first_pair[k]; at < t->slot->first_pair[k + 1]; at++)
            n += columns[at] == 0;
    return n;
}

/* Copy a tile's results into one chunk per dataset; cells without a pair keep the fill
 * value. */
static void scatter(void *ctx, int64_t k, int thread)
{
    const tiles_t *t = ctx;
    const job_align_t *j = t->job;
    int64_t side = j->grid.side, n_values = tile_values(j);
    tile_t tile = tile_at(&j->grid, t->slot->tiles[k]);
    int32_t *out = j->values + k * n_values * n_value_sets(j);

    (void)thread;
    j->n_without[k] = count_without_identity(t, k);
    for (int d = 0; d < n_value_sets(j); d++, out += n_values) {
        const int32_t *from = t->results[d] + t->slot->first_pair[k];

        if (tile_pairs(&tile) < n_values)
            for (int64_t i = 0; i < n_values; i++)
                out[i] = pairs_fill[d];
        for (int64_t row = tile.row0; row < tile.row1; row++) {
            int64_t first = tile.col0 > row ? tile.col0 : row + 1;
            int64_t n = tile.col1 - first;

            if (n <= 0)
                continue;
            memcpy(out + (row - tile.row0) * side + first - tile.col0, from,
                   (size_t)n * sizeof(*from));
            from += n;
        }
    }
}

static status_t reserve_values(job_align_t *j, int n_tiles)
{
    size_t tile_bytes = (size_t)(tile_values(j) * n_value_sets(j)) * sizeof(*j->values);

    if (n_tiles <= j->values_capacity)
        return ST_OK;
    j->values_capacity = 0;
    free(j->values);
    free(j->n_without);
    j->values = malloc((size_t)n_tiles * tile_bytes);
    j->n_without = malloc((size_t)n_tiles * sizeof(*j->n_without));
    if (j->values == NULL || j->n_without == NULL)
        return log_nomem("a batch's results");
    j->values_capacity = n_tiles;
    return ST_OK;
}

/* The results are valid until the next submit, which comes before they are packed; so
 * they are copied here, in the order of the tiles' chunks. */
status_t job_align_collect(void *job)
{
    job_align_t *j = job;
    job_align_slot_t *slot = &j->slots[j->oldest++ % ALIGNER_DEPTH];
    tiles_t tiles = {.job = j, .slot = slot};
    job_align_values_t values;
    pair_results_t results;
    status_t st = aligner_wait(j->aligner, &results);

    if (st != ST_OK ||
        (st = job_align_identity_collect(j, slot, &results, &values)) != ST_OK)
        return st;
    if (j->is_sparse) {
        st = job_align_hits_collect(j, slot, &results, &values);
        return st == ST_OK ? job_align_cigar_collect(j, slot, &results) : st;
    }
    if ((st = reserve_values(j, slot->n_tiles)) != ST_OK)
        return st;
    tiles.results[PAIRS_SCORE] = results.score;
    tiles.results[PAIRS_MATCHES] = values.numerator;
    tiles.results[PAIRS_COLUMNS] = values.denominator;
    pool_run(j->pool, slot->n_tiles, scatter, &tiles);
    return job_align_cigar_collect(j, slot, &results);
}

status_t job_align_pack(void *job, int k, int thread, buf_t *out)
{
    job_align_t *j = job;
    int64_t n = tile_values(j);
    const int32_t *values;
    status_t st = ST_OK;

    if (j->is_sparse)
        return job_align_hits_pack(j, k, thread, out);
    values = j->values + k * n * n_value_sets(j);
    st = buf_append(out, &j->n_without[k], sizeof(j->n_without[k]));
    for (int d = 0; st == ST_OK && d < n_value_sets(j); d++)
        st = tile_pack_append(values + d * n, n, j->scratch + thread * n, out);
    return st == ST_OK ? job_align_cigar_pack(j, k, thread, out) : st;
}

void job_align_cancel(void *job)
{
    job_align_t *j = job;

    __atomic_store_n(&j->cancel, 1, __ATOMIC_RELAXED);
}

void job_align_batch_free(job_align_t *j)
{
    for (int k = 0; k < ALIGNER_DEPTH; k++) {
        free(j->slots[k].pairs);
        free(j->slots[k].tiles);
        free(j->slots[k].first_pair);
        free(j->slots[k].dropped);
        j->slots[k] = (job_align_slot_t){0};
    }
    j->newest = j->oldest = 0;
    free(j->values);
    free(j->n_without);
    j->values = NULL;
    j->n_without = NULL;
    j->values_capacity = 0;
    free(j->scratch);
    j->scratch = NULL;
}
