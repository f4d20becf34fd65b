/*
 * job_align_batch.c - the job "align" on a worker: aligns batches of tiles, and single
 * ones again to check them, and packs their results as chunks or hits.
 */
#include "worker/align/job_align_state.h"

#include "io/base/logmsg.h"
#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_write.h"
#include "io/store/tile_pack.h"
#include "worker/align/align_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int64_t tile_values(const job_align_t *j)
{
    return tile_grid_values(&j->grid);
}

static search_context_t context_of(const job_align_t *j, const device_t *device)
{
    search_context_t c = job_align_spec_search(&j->spec, j->opts);

    c.device = device;
    c.pool = j->base.pool;
    c.run = j->run;
    c.set = j->set;
    c.n_queries = j->n_queries;
    c.first_target = j->col_first;
    c.law = j->opts->max_evalue > 0 ? &j->law : NULL;
    c.max_evalue = j->opts->max_evalue;
    c.composition = j->opts->composition;
    c.method = j->opts->method;
    c.centroid_order = j->order;
    c.version = j->opts->common.version;
    if (j->in_blocks) /* it would need residues of all references */
        c.aligner.trial = false;
    return c;
}

bool job_align_may_filter(const job_align_t *j)
{
    const search_context_t context = context_of(j, NULL);

    return search_may_filter(&context);
}

bool job_align_scores_first(const job_align_t *j)
{
    const search_context_t context = context_of(j, NULL);

    return search_scores_first(&context);
}

tile_grid_t job_align_grid(const job_align_t *j)
{
    const search_context_t context = context_of(j, NULL);

    return job_align_spec_grid(&context);
}

/* ---- references in blocks ---- */

/* The fraction of the blocks in memory that a batch may hold: two are in flight, and more
 * is kept for a batch that is checked. */
enum { HELD_DIVISOR = 4 };

static status_t hold(job_align_t *j, job_align_held_t held)
{
    return j->in_blocks ? protein_blocks_hold(j->blocks, held.first, held.end) : ST_OK;
}

static void release(job_align_t *j, job_align_held_t held)
{
    if (j->in_blocks)
        protein_blocks_release(j->blocks, held.first, held.end);
}

/* Find the references of tiles, as many as may be held at a time, at least those of one.
 * @return the number of tiles */
static int count_holdable(const job_align_t *j, const int64_t *tasks, int n,
                          job_align_held_t *out)
{
    const int64_t *offset = j->set->offset + j->col_first;
    const int64_t max = job_align_window(j) / HELD_DIVISOR;
    int k = 0;

    for (; k < n; k++) {
        const tile_t tile = tile_at(&j->grid, tasks[k]);
        job_align_held_t next = {tile.col0 - j->col_first, tile.col1 - j->col_first};

        if (k > 0 && out->first < next.first)
            next.first = out->first;
        if (k > 0 && out->end > next.end)
            next.end = out->end;
        if (k > 0 && offset[next.end] - offset[next.first] > max)
            break;
        *out = next;
    }
    return k;
}

/* ---- batches ---- */

/* Tell the user why a slow run has no filter. */
static void log_no_filter(const job_align_t *j)
{
    if (!j->is_sparse || j->spec.filter_is_lossless || job_align_scores_first(j) ||
        (j->opts->min_identity.numerator == 0 && j->opts->top == 0))
        return;
    if (j->set->alphabet == ALPHABET_PROTEIN)
        log_verbose("the filters are for DNA: every pair is aligned");
    else if (j->opts->ends == ENDS_LOCAL)
        log_verbose("no filter is proved for local alignments: every pair is aligned");
    else
        log_verbose("no filter is proved for --iddef %s with %s: every pair is aligned",
                    identity_def_name[j->spec.identity],
                    job_align_ends_words[j->opts->ends]);
}

status_t job_align_prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_align_t *j = (job_align_t *)job;
    const device_t *device = &job->device;
    size_t scratch = (size_t)pool_n_threads(job->pool) * (size_t)tile_values(j) + 1;
    search_context_t context;
    status_t st;

    j->device_bytes = align_memory_of_device(device, j->opts->device_bytes);
    if ((j->scratch = malloc(scratch * sizeof(*j->scratch))) == NULL)
        return log_nomem("packing tiles");
    log_no_filter(j);
    if ((j->run.in_windows = job_align_in_windows(j, device))) {
        if (j->run.device_bytes == 0)
            j->run.device_bytes = j->device_bytes;
        log_verbose("the GPU holds a part of the database at a time");
    }
    context = context_of(j, device);
    if (device_is_gpu(device) && !j->run.in_windows &&
        (st = hold(j, (job_align_held_t){0, j->n_references})) != ST_OK)
        return st;
    if ((st = search_create(&context, &j->search)) != ST_OK)
        return st;
    *kernel_name = search_kernel(j->search);
    *guess = search_guess(j->search);
    job->depth = search_depth(j->search);
    job->max_batch = job_align_batch_limit(j);
    return ST_OK;
}

/* Put n tiles into a batch, with the pairs that are to be aligned. */
static status_t list(job_align_t *j, const int64_t *tasks, int n, bool by_edits,
                     search_batch_t *out)
{
    if (n > j->tiles_capacity) {
        j->tiles_capacity = 0;
        free(j->tiles);
        if ((j->tiles = malloc((size_t)n * sizeof(*j->tiles))) == NULL)
            return log_nomem("a batch's tiles");
        j->tiles_capacity = n;
    }
    for (int k = 0; k < n; k++)
        j->tiles[k] = tile_at(&j->grid, tasks[k]);
    return search_list(j->search, j->tiles, n, job_align_limits(j), by_edits, out);
}

status_t job_align_submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    job_align_t *j = (job_align_t *)job;
    const int place = j->newest++ % ALIGNER_DEPTH;
    search_batch_t *batch = &j->batches[place];
    status_t st;

    if (j->in_blocks)
        n = count_holdable(j, tasks, n, &j->held[place]);
    if ((st = hold(j, j->held[place])) != ST_OK ||
        (st = list(j, tasks, n, true, batch)) != ST_OK)
        return st;
    *n_begun = batch->n_tiles;
    return search_submit(j->search, batch);
}

/* ---- results ---- */

typedef struct {
    const job_align_t *job;
    const search_batch_t *batch;
    const pair_results_t *results;
    search_values_t values;
    job_align_collected_t *out;
    atomic_bool has_failed; /* no memory */
} tiles_t;

/* CIGARs may also be computed only because identities need them. */
static bool stores_cigars(const job_align_t *j)
{
    return j->opts->emit == EMIT_CIGAR;
}

/* Append the CIGAR of a pair, if it has one. @param len  out: its bytes */
static status_t append_cigar(const tiles_t *t, int64_t pair, buf_t *text, int32_t *len)
{
    const pair_results_t *r = t->results;
    const int64_t first = r->cigar_start[pair], end = r->cigar_start[pair + 1];
    const size_t before = text->len;
    status_t st = ST_OK;

    if (end > first)
        st = cigar_append_text(r->cigar + first, end - first, t->job->opts->cigar_style,
                               text);
    *len = (int32_t)(text->len - before);
    return st;
}

static status_t append_hit(const tiles_t *t, int64_t pair, const pairs_hit_t *hit,
                           pairs_hits_t *out)
{
    pairs_entry_t entry = {.hit = *hit, .text_at = (int64_t)out->text.len};
    status_t st = ST_OK;

    if (stores_cigars(t->job))
        st = append_cigar(t, pair, &out->text, &entry.text_len);
    return st == ST_OK ? buf_append(&out->entries, &entry, sizeof(entry)) : st;
}

/* Keep the hits among a tile's results. */
static void pick(void *ctx, int64_t k, int thread)
{
    tiles_t *t = ctx;
    const job_align_t *j = t->job;
    const search_batch_t *b = t->batch;
    pairs_hits_t *out = &t->out->tiles[k];

    (void)thread;
    out->entries.len = out->text.len = 0;
    out->n_without_identity = 0;
    for (int stage = 0; stage < SEARCH_STAGES; stage++)
        out->n_dropped[stage] = b->dropped[k].n[stage];
    for (int64_t at = b->first_pair[k]; at < b->first_pair[k + 1]; at += j->n_strands) {
        pairs_hit_t hit;
        int64_t pair =
            search_pick(j->search, &b->batch, t->results, &t->values, at, &hit);

        if (hit.score == 0 && search_rescores(j->search)) {
            out->n_dropped[0]++;
            continue;
        }
        out->n_without_identity += hit.columns == 0;
        if (search_keeps(j->search, &hit) && append_hit(t, pair, &hit, out) != ST_OK)
            atomic_store(&t->has_failed, true);
    }
}

/* @return how many pairs of a tile have no identity; 0 where only scores are computed */
static int64_t count_without_identity(const tiles_t *t, int64_t k)
{
    const int64_t *first = t->batch->first_pair + k;
    int64_t n = 0;

    if (t->job->spec.n_datasets > PAIRS_COLUMNS)
        for (int64_t at = first[0]; at < first[1]; at++)
            n += t->values.denominator[at] == 0;
    return n;
}

/* Put a tile's results for one dataset into its chunk; cells without a pair keep the fill
 * value. */
static status_t scatter_dataset(const tiles_t *t, int64_t k, int d, int32_t *out)
{
    const job_align_t *j = t->job;
    const int32_t *values[] = {t->results->score, t->values.numerator,
                               t->values.denominator};
    tile_t tile = t->batch->tiles[k];
    int64_t side = j->grid.side, n_values = tile_values(j), at = t->batch->first_pair[k];
    status_t st = ST_OK;

    if (tile_pairs(&tile) < n_values)
        for (int64_t i = 0; i < n_values; i++)
            out[i] = pairs_fill[d];
    for (int64_t row = tile.row0; row < tile.row1; row++) {
        int64_t first = tile.col0 > row ? tile.col0 : row + 1;
        int64_t n = tile.col1 - first;
        int32_t *to = out + (row - tile.row0) * side + first - tile.col0;

        if (n <= 0)
            continue;
        if (d != PAIRS_CIGAR_LENGTH)
            memcpy(to, values[d] + at, (size_t)n * sizeof(*to));
        else
            for (int64_t i = 0; st == ST_OK && i < n; i++)
                st = append_cigar(t, at + i, &t->out->tiles[k].text, &to[i]);
        at += n;
    }
    return st;
}

/* Put a tile's results into its chunks. */
static void scatter(void *ctx, int64_t k, int thread)
{
    tiles_t *t = ctx;
    int n_datasets = t->job->spec.n_datasets;
    int64_t n_values = tile_values(t->job);
    int32_t *out = t->out->values + k * n_datasets * n_values;

    (void)thread;
    t->out->tiles[k].n_without_identity = count_without_identity(t, k);
    t->out->tiles[k].text.len = 0;
    for (int d = 0; d < n_datasets; d++)
        if (scatter_dataset(t, k, d, out + d * n_values) != ST_OK)
            atomic_store(&t->has_failed, true);
}

static void collected_free(job_align_collected_t *c)
{
    for (int k = 0; c->tiles != NULL && k < c->tiles_capacity; k++)
        pairs_hits_free(&c->tiles[k]);
    free(c->tiles);
    free(c->values);
    *c = (job_align_collected_t){0};
}

/* Batches vary a little, so there is room for a quarter more tiles than are needed.  Hits
 * and texts keep their memory when the batch grows, because its pages are in use already.
 */
static status_t collected_reserve(const job_align_t *j, int n_tiles,
                                  job_align_collected_t *c)
{
    size_t before = (size_t)c->tiles_capacity, n = (size_t)n_tiles + (size_t)n_tiles / 4;
    size_t tile_bytes =
        (size_t)(tile_values(j) * j->spec.n_datasets) * sizeof(*c->values);
    pairs_hits_t *tiles;

    if (n_tiles <= c->tiles_capacity)
        return ST_OK;
    if ((tiles = realloc(c->tiles, n * sizeof(*tiles))) == NULL)
        return log_nomem("a batch's results");
    memset(tiles + before, 0, (n - before) * sizeof(*tiles));
    c->tiles = tiles;
    c->tiles_capacity = (int)n;
    if (j->is_sparse)
        return ST_OK;
    free(c->values);
    if ((c->values = buf_alloc_pages(n * tile_bytes)) != NULL)
        return ST_OK;
    collected_free(c);
    return log_nomem("a batch's results");
}

/* The results are valid until the next submit, which comes before they are packed; so
 * they are copied here, in the order of the tiles' chunks, and CIGARs become text, which
 * is a quarter as long. */
static status_t keep_results(job_align_t *j, const search_batch_t *batch,
                             const pair_results_t *results, job_align_collected_t *out)
{
    tiles_t tiles = {.job = j, .batch = batch, .results = results, .out = out};
    status_t st = search_values(j->search, &batch->batch, results, &tiles.values);

    if (st != ST_OK || (st = collected_reserve(j, batch->n_tiles, out)) != ST_OK)
        return st;
    pool_run(j->base.pool, batch->n_tiles, j->is_sparse ? pick : scatter, &tiles);
    return atomic_load(&tiles.has_failed) ? ST_ENOMEM : ST_OK;
}

status_t job_align_collect(job_t *job, int place)
{
    job_align_t *j = (job_align_t *)job;
    const int oldest = j->oldest++ % ALIGNER_DEPTH;
    pair_results_t results;
    status_t st = search_wait(j->search, &results);

    release(j, j->held[oldest]);
    if (st != ST_OK || job_is_cancelled(&j->base))
        return st; /* cancelled: the results may be anything, and nobody packs them */
    return keep_results(j, &j->batches[oldest], &results, &j->collected[place]);
}

static status_t pack(job_align_t *j, job_align_collected_t *c, int k, int thread,
                     buf_t *out)
{
    pairs_hits_t *tile = &c->tiles[k];
    int64_t n = tile_values(j);
    int n_datasets = j->spec.n_datasets;
    status_t st;

    if (j->is_sparse)
        return pairs_hits_pack(tile, out);
    st = buf_append(out, &tile->n_without_identity, sizeof(tile->n_without_identity));
    for (int d = 0; st == ST_OK && d < n_datasets; d++)
        st = tile_pack_append(c->values + (k * n_datasets + d) * n, n,
                              j->scratch + thread * n, out);
    if (st == ST_OK && stores_cigars(j))
        st = pairs_cigar_pack(&j->grid, &tile->text, out);
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
    align_context_t context = {by_definition || j->run.in_windows ? &j->cpu
                                                                  : &j->base.device,
                               j->base.pool, j->set, &j->spec.align, j->run};
    aligner_options_t options = {.kernel = by_definition ? "scalar" : "auto",
                                 .except =
                                     by_definition ? NULL : search_kernel(j->search)};

    if (c->aligner != NULL)
        return ST_OK;
    j->cpu = device_cpu();
    return aligner_create(&context, &options, &c->aligner);
}

static status_t check(job_align_t *j, int64_t task, job_how_t how, buf_t *out)
{
    job_align_checker_t *c = &j->checkers[how == JOB_REFERENCE];
    pair_results_t results;
    status_t st = create_checker(j, c, how);

    if (st == ST_OK)
        st = list(j, &task, 1, false, &c->batch);
    if (st != ST_OK || (st = aligner_submit(c->aligner, &c->batch.batch)) != ST_OK ||
        (st = aligner_wait(c->aligner, &results)) != ST_OK)
        return job_is_cancelled(&j->base) ? ST_OK : st;
    if ((st = keep_results(j, &c->batch, &results, &c->collected)) != ST_OK)
        return st;
    return pack(j, &c->collected, 0, 0, out);
}

/* As submit and collect, without the edit filter. */
status_t job_align_check(job_t *job, int64_t task, job_how_t how, buf_t *out)
{
    job_align_t *j = (job_align_t *)job;
    job_align_held_t held = {0, 0};
    status_t st;

    if (j->in_blocks)
        count_holdable(j, &task, 1, &held);
    if ((st = hold(j, held)) != ST_OK)
        return st;
    st = check(j, task, how, out);
    release(j, held);
    return st;
}

status_t job_align_equal(const job_t *job, const buf_t *a, const buf_t *b, bool *equal)
{
    const job_align_t *j = (const job_align_t *)job;

    return j->is_sparse ? pairs_equal_hits(a, b, equal)
                        : pairs_equal_tiles(&j->grid, j->spec.n_datasets,
                                            stores_cigars(j), a, b, equal);
}

static void checker_free(job_align_checker_t *c)
{
    aligner_destroy(c->aligner);
    c->aligner = NULL;
    search_batch_free(&c->batch);
    collected_free(&c->collected);
}

void job_align_release(job_t *job)
{
    job_align_t *j = (job_align_t *)job;

    search_destroy(j->search);
    j->search = NULL;
    free(j->tiles);
    j->tiles = NULL;
    j->tiles_capacity = 0;
    for (int k = 0; k < ALIGNER_DEPTH; k++)
        search_batch_free(&j->batches[k]);
    j->newest = j->oldest = 0;
    for (int k = 0; k < JOB_PLACES; k++)
        collected_free(&j->collected[k]);
    for (int k = 0; k < 2; k++)
        checker_free(&j->checkers[k]);
    free(j->scratch);
    j->scratch = NULL;
}
