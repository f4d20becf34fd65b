/*
 * job_align_batch.c - the job "align" on a worker: tiles to pairs, results to chunks.
 */
#include "io/base/logmsg.h"
#include "io/store/tile_pack.h"
#include "worker/align/job_align_state.h"

#include <stdlib.h>
#include <string.h>

/* A batch has so many tiles at most; a kernel keeps so much of a pair on a GPU, for which
 * this part of its memory is: sequences and lines take the rest. */
enum { TILES_MAX = 1024, DEVICE_PAIR_BYTES = 64, DEVICE_PART = 4 };

/* Behind a filter a tile may be next to nothing; what it lists of a batch takes a part of
 * the memory (job_align_pairs.c). */
enum { TILES_FILTERED_MAX = 1 << 16, FILTER_PART = 4 };

static int64_t tile_values(const job_align_t *j)
{
    return j->grid.side * j->grid.side;
}

/* Datasets whose values an aligner gives. */
static int n_plain(const job_align_t *j)
{
    return j->n_datasets == PAIRS_N_CIGAR ? PAIRS_N_IDENTITY : j->n_datasets;
}

status_t job_align_prepare(void *job, const device_t *device, pool_t *pool,
                           const char **kernel_name, double *guess)
{
    job_align_t *j = job;
    align_context_t context = {device, pool, j->set, &j->spec, j->run};
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
        (st = job_align_filter_prepare(j, device)) != ST_OK)
        return st;
    if ((st = trial_cache_create(j->opts->version, &j->trials)) != ST_OK)
        return st;
    options.cache = j->trials;
    if ((st = aligner_create(&context, &options, &j->aligner)) != ST_OK)
        return st;
    *kernel_name = aligner_name(j->aligner);
    *guess = aligner_guess(j->aligner);
    return ST_OK;
}

/* With a filter one batch follows the other: its kernels and the aligner's, whose blocks
 * stay until all is done, would take a multiprocessor's registers from each other, and
 * both be slower than one by one.  What is left to the host then is little. */
int job_align_depth(const void *job)
{
    const job_align_t *j = job;

    return j->filter != NULL ? 1 : aligner_depth(j->aligner);
}

/* Tiles of which a batch may align all pairs. */
static int64_t whole_tiles(const job_align_t *j)
{
    int64_t results = (int64_t)sizeof(int32_t) * n_plain(j), depth = job_align_depth(j);
    /* for each batch under way here and, while it travels or is dealt out to several
     * rows, once more there; and for the one collected its values, raw and packed */
    int64_t kept =
        j->is_sparse ? (int64_t)(sizeof(pairs_hit_t) + sizeof(int64_t)) : 2 * results;
    int64_t bytes = depth * (4 * (int64_t)sizeof(pair_t) + 2 * results) + kept +
                    job_align_cigar_bytes(j) + job_align_identity_bytes(j) +
                    job_align_edits_bytes(j);
    int64_t memory = j->opts->batch_bytes, pairs;
    int64_t on_device = j->device_bytes / DEVICE_PART / DEVICE_PAIR_BYTES / depth, tiles;

    if (j->filter != NULL)
        memory -= memory / FILTER_PART;
    pairs = memory / bytes < on_device ? memory / bytes : on_device;
    tiles = pairs / (j->n_strands * tile_values(j) + 1);
    return tiles < 1 ? 1 : tiles;
}

int64_t job_align_batch_pairs(const job_align_t *j)
{
    return whole_tiles(j) * tile_values(j) * j->n_strands;
}

int job_align_batch_limit(const void *job)
{
    const job_align_t *j = job;
    int64_t tiles;

    if (j->filter != NULL)
        return TILES_FILTERED_MAX;
    tiles = whole_tiles(j);
    return tiles > TILES_MAX ? TILES_MAX : (int)tiles;
}

/* Batches of one slot share its room, which grows on demand. */
static status_t reserve_tiles(job_align_slot_t *s, int n)
{
    if (n <= s->tiles_capacity)
        return ST_OK;
    s->tiles_capacity = 0;
    free(s->tiles);
    free(s->first_pair);
    free(s->dropped);
    s->tiles = malloc((size_t)n * sizeof(*s->tiles));
    s->first_pair = malloc((size_t)(n + 1) * sizeof(*s->first_pair));
    s->dropped = malloc((size_t)n * sizeof(*s->dropped));
    if (s->tiles == NULL || s->first_pair == NULL || s->dropped == NULL)
        return log_nomem("a batch");
    s->tiles_capacity = n;
    return ST_OK;
}

/* A slot's tiles are worked on by all threads of the pool. */
typedef struct {
    const job_align_t *job;
    job_align_slot_t *slot;
    const int32_t *results[PAIRS_DATASETS_MAX];
} tiles_t;

status_t job_align_submit(void *job, const int64_t *tasks, int n, int *n_begun)
{
    job_align_t *j = job;
    job_align_slot_t *slot = &j->slots[j->newest++ % ALIGNER_DEPTH];
    status_t st = job_align_top_search(j); /* here, where it can be cancelled */

    if (st != ST_OK || (st = reserve_tiles(slot, n)) != ST_OK)
        return st;
    slot->n_tiles = n;
    memcpy(slot->tiles, tasks, (size_t)n * sizeof(*tasks));
    if ((st = job_align_list_pairs(j, slot)) != ST_OK)
        return st;
    *n_begun = slot->n_tiles;
    return aligner_submit(j->aligner, &slot->batch);
}

/* A tile's results into a chunk each; what is no pair keeps the fill value. */
static void scatter(void *ctx, int64_t item, int thread)
{
    const tiles_t *t = ctx;
    const job_align_t *j = t->job;
    int64_t side = j->grid.side, n_values = tile_values(j);
    tile_t tile = tile_at(&j->grid, t->slot->tiles[item]);
    int32_t *out = j->values + item * n_values * n_plain(j);

    (void)thread;
    for (int d = 0; d < n_plain(j); d++, out += n_values) {
        const int32_t *from = t->results[d] + t->slot->first_pair[item];

        if (tile_pairs(&tile) < n_values)
            for (int64_t i = 0; i < n_values; i++)
                out[i] = pairs_fill[d];
        for (int64_t i = tile.row0; i < tile.row1; i++) {
            int64_t first = tile.col0 > i ? tile.col0 : i + 1;
            int64_t n = tile.col1 - first;

            if (n <= 0)
                continue;
            memcpy(out + (i - tile.row0) * side + first - tile.col0, from,
                   (size_t)n * sizeof(*from));
            from += n;
        }
    }
}

static status_t reserve_values(job_align_t *j, int n_tiles)
{
    size_t tile_room = (size_t)(tile_values(j) * n_plain(j)) * sizeof(*j->values);

    if (n_tiles <= j->values_capacity)
        return ST_OK;
    j->values_capacity = 0;
    free(j->values);
    if ((j->values = malloc((size_t)n_tiles * tile_room)) == NULL)
        return log_nomem("a batch's results");
    j->values_capacity = n_tiles;
    return ST_OK;
}

/* The results are the aligner's until the next submit, which comes before they are
 * packed: hence the copy, in the tiles' own order. */
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
    values = j->values + k * n * n_plain(j);
    for (int d = 0; st == ST_OK && d < n_plain(j); d++)
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
    j->values = NULL;
    j->values_capacity = 0;
    free(j->scratch);
    j->scratch = NULL;
}
