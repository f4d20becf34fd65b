/*
 * job_align_batch.c - the job "align" on a worker: tiles to pairs, results to chunks.
 */
#include "io/logmsg.h"
#include "io/tile_pack.h"
#include "worker/job_align_state.h"

#include <stdlib.h>
#include <string.h>

/* Results of one batch may take this part of a rank's memory, and this many tiles. */
enum { MEMORY_PART = 16, TILES_MAX = 1024 };

static int64_t tile_values(const job_align_t *j)
{
    return j->grid.side * j->grid.side;
}

/* Datasets whose values an aligner gives. */
static int n_plain(const job_align_t *j)
{
    return j->n_datasets == PAIRS_N_CIGAR ? PAIRS_N_IDENTITY : j->n_datasets;
}

static bool get_trial(void *ctx, const char *key, trial_entry_t *out)
{
    return trial_cache_get(ctx, key, out);
}

static void put_trial(void *ctx, const char *key, const trial_entry_t *entry)
{
    trial_cache_put(ctx, key, entry);
}

status_t job_align_prepare(void *job, const device_t *device, pool_t *pool,
                           const char **kernel_name, double *guess)
{
    job_align_t *j = job;
    aligner_memory_t memory = {NULL, get_trial, put_trial};
    size_t scratch = (size_t)pool_n_threads(pool) * (size_t)tile_values(j) + 1;
    status_t st;

    j->pool = pool;
    if ((j->scratch = malloc(scratch * sizeof(*j->scratch))) == NULL)
        return log_nomem("packing tiles");
    if ((st = job_align_cigar_prepare(j)) != ST_OK)
        return st;
    if ((st = trial_cache_create(j->opts->version, &j->trials)) != ST_OK)
        return st;
    memory.ctx = j->trials;
    st = aligner_create_tried(device, pool, j->opts->kernel, j->set, &j->spec, &memory,
                              &j->aligner);
    if (st != ST_OK)
        return st;
    *kernel_name = aligner_name(j->aligner);
    *guess = aligner_guess(j->aligner);
    return ST_OK;
}

int job_align_batch_limit(const void *job)
{
    const job_align_t *j = job;
    /* a pair is held as a pair, as results and as a stored value */
    int64_t bytes = tile_values(j) * ((int64_t)sizeof(pair_t) + 8 * j->n_datasets + 8 +
                                      job_align_cigar_bytes(j)) +
                    1;
    int64_t limit = j->opts->memory_bytes / MEMORY_PART / bytes;

    return limit < 1 ? 1 : limit > TILES_MAX ? TILES_MAX : (int)limit;
}

/* Tiles of several batches share the room, which grows on demand. */
static status_t reserve(job_align_t *j, int n_tiles, int64_t n_pairs)
{
    if (n_tiles > j->tiles_capacity) {
        int64_t *tiles = realloc(j->tiles, (size_t)n_tiles * sizeof(*tiles));

        if (tiles == NULL)
            return log_nomem("a batch");
        j->tiles = tiles;
        j->tiles_capacity = n_tiles;
    }
    if (n_pairs > j->pairs_capacity) {
        free(j->pairs);
        j->pairs_capacity = 0;
        if ((j->pairs = malloc((size_t)n_pairs * sizeof(*j->pairs))) == NULL)
            return log_nomem("a batch's pairs");
        j->pairs_capacity = n_pairs;
    }
    return ST_OK;
}

/* The pairs of a tile, row by row. */
static int64_t list_pairs(const tile_t *t, pair_t *out)
{
    int64_t n = 0;

    for (int64_t i = t->row0; i < t->row1; i++)
        for (int64_t k = t->col0 > i ? t->col0 : i + 1; k < t->col1; k++)
            out[n++] = (pair_t){(int32_t)i, (int32_t)k};
    return n;
}

status_t job_align_submit(void *job, const int64_t *tasks, int n)
{
    job_align_t *j = job;
    int64_t n_pairs = 0;
    status_t st;

    for (int k = 0; k < n; k++) {
        tile_t tile = tile_at(&j->grid, tasks[k]);

        n_pairs += tile_pairs(&tile);
    }
    if ((st = reserve(j, n, n_pairs)) != ST_OK)
        return st;
    memcpy(j->tiles, tasks, (size_t)n * sizeof(*tasks));
    j->n_tiles = n;
    n_pairs = 0;
    for (int k = 0; k < n; k++) {
        tile_t tile = tile_at(&j->grid, tasks[k]);

        n_pairs += list_pairs(&tile, j->pairs + n_pairs);
    }
    j->batch = (pair_batch_t){j->pairs, n_pairs};
    return aligner_submit(j->aligner, &j->batch);
}

/* A tile's results into a chunk each; what is no pair keeps the fill value. */
static void scatter(const job_align_t *j, const tile_t *t, const int32_t *const *results,
                    int64_t first, int32_t *out)
{
    for (int d = 0; d < n_plain(j); d++, out += tile_values(j)) {
        const int32_t *from = results[d] + first;

        for (int64_t i = 0; i < tile_values(j); i++)
            out[i] = pairs_fill[d];
        for (int64_t i = t->row0; i < t->row1; i++)
            for (int64_t k = t->col0 > i ? t->col0 : i + 1; k < t->col1; k++)
                out[(i - t->row0) * j->grid.side + k - t->col0] = *from++;
    }
}

status_t job_align_collect(void *job)
{
    job_align_t *j = job;
    int64_t tile_room = tile_values(j) * n_plain(j), first = 0;
    pair_results_t results;
    status_t st = aligner_wait(j->aligner, &results);
    const int32_t *by_dataset[PAIRS_DATASETS_MAX];

    if (st != ST_OK)
        return st;
    if (j->n_tiles > j->values_capacity) {
        free(j->values);
        j->values_capacity = 0;
        j->values = malloc((size_t)(j->n_tiles * tile_room) * sizeof(*j->values));
        if (j->values == NULL)
            return log_nomem("a batch's results");
        j->values_capacity = j->n_tiles;
    }
    by_dataset[PAIRS_SCORE] = results.score;
    by_dataset[PAIRS_MATCHES] = results.matches;
    by_dataset[PAIRS_COLUMNS] = results.columns;
    for (int k = 0; k < j->n_tiles; k++) {
        tile_t tile = tile_at(&j->grid, j->tiles[k]);

        scatter(j, &tile, by_dataset, first, j->values + k * tile_room);
        first += tile_pairs(&tile);
    }
    return job_align_cigar_collect(j, &results);
}

status_t job_align_pack(void *job, int k, int thread, buf_t *out)
{
    job_align_t *j = job;
    int64_t n = tile_values(j);
    const int32_t *values = j->values + k * n * n_plain(j);
    status_t st = ST_OK;

    for (int d = 0; st == ST_OK && d < n_plain(j); d++)
        st = tile_pack_append(values + d * n, n, j->scratch + thread * n, out);
    return st == ST_OK ? job_align_cigar_pack(j, k, thread, out) : st;
}

void job_align_cancel(void *job)
{
    job_align_t *j = job;

    __atomic_store_n(&j->cancel, 1, __ATOMIC_RELAXED);
}
