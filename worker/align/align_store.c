/*
 * align_store.c - tiles of pairs in memory, packed as a worker of the job packs its own.
 */
#include "worker/align/align_store.h"

#include "io/base/logmsg.h"
#include "io/seq/cigar.h"
#include "worker/align/job_align_state.h"
#include "worker/job_output.h"

#include <stdlib.h>
#include <string.h>

/* Tiles that are packed at a time, per thread. */
enum { TILES_PER_THREAD = 4 };

typedef struct {
    const align_pairs_t *pairs;
    job_align_t *job;
    int64_t *row_start; /* [queries + 1] */
    int64_t first;      /* tile of the group */
    buf_t *records;     /* [capacity] */
    int capacity;
    status_t *failed; /* [capacity] */
} store_t;

/* ---- a tile ---- */

/* @return the first pair of a row whose target is not below col */
static int64_t find_pair(const store_t *s, int64_t row, int64_t col)
{
    int64_t low = s->row_start[row], high = s->row_start[row + 1];

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (s->pairs->target[middle] < col)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static status_t append_cigar(const store_t *s, int64_t pair, buf_t *text, int32_t *len)
{
    const align_pairs_t *p = s->pairs;
    const int64_t n = p->cigar_start[pair + 1] - p->cigar_start[pair];
    const size_t before = text->len;
    status_t st = ST_OK;

    if (n > 0)
        st = cigar_append_text(p->runs + p->cigar_start[pair], n, p->opts->cigar_style,
                               text);
    *len = (int32_t)(text->len - before);
    return st;
}

static status_t append_hit(const store_t *s, int64_t pair, pairs_hits_t *out)
{
    const align_pairs_t *p = s->pairs;
    pairs_entry_t entry = {.hit = {.row = p->query[pair],
                                   .col = p->target[pair] + (int32_t)s->job->col_first,
                                   .score = p->score[pair],
                                   .matches = p->matches != NULL ? p->matches[pair] : 0,
                                   .columns = p->columns != NULL ? p->columns[pair] : 0,
                                   .strand = p->strand != NULL ? p->strand[pair] : 1},
                           .text_at = (int64_t)out->text.len};
    status_t st = ST_OK;

    if (p->cigar_start != NULL)
        st = append_cigar(s, pair, &out->text, &entry.text_len);
    return st == ST_OK ? buf_append(&out->entries, &entry, sizeof(entry)) : st;
}

/* @param n  of the first pairs of the row in the tile @return behind them */
static int64_t end_pair(const store_t *s, const tile_t *tile, int64_t row, int64_t *first)
{
    *first = find_pair(s, row, tile->col0 - s->job->col_first);
    return find_pair(s, row, tile->col1 - s->job->col_first);
}

static status_t pick(const store_t *s, const tile_t *tile, pairs_hits_t *out)
{
    status_t st = ST_OK;

    for (int64_t row = tile->row0; row < tile->row1; row++) {
        int64_t at;
        const int64_t end = end_pair(s, tile, row, &at);

        for (; st == ST_OK && at < end; at++)
            st = append_hit(s, at, out);
    }
    return st;
}

/* Put a dataset of a row into its place in a chunk. @param to  [end - at] */
static status_t put_row(const store_t *s, pairs_dataset_t d, int64_t at, int64_t end,
                        pairs_hits_t *tile, int32_t *to)
{
    const align_pairs_t *p = s->pairs;
    const int32_t *const values[] = {p->score, p->matches, p->columns};
    status_t st = ST_OK;

    if (d != PAIRS_CIGAR_LENGTH)
        memcpy(to, values[d] + at, (size_t)(end - at) * sizeof(*to));
    for (; st == ST_OK && d == PAIRS_CIGAR_LENGTH && at < end; at++)
        st = append_cigar(s, at, &tile->text, to++);
    for (; d == PAIRS_COLUMNS && at < end; at++)
        tile->n_without_identity += p->columns[at] == 0;
    return st;
}

/* Put all pairs of a tile into its chunks.
 * @param values  [n_datasets][tile_grid_values] */
static status_t scatter(const store_t *s, const tile_t *tile, pairs_hits_t *out,
                        int32_t *values)
{
    const int64_t n = tile_grid_values(&s->job->grid), width = s->job->grid.col_side;
    status_t st = ST_OK;

    for (int d = 0; d < s->job->spec.n_datasets; d++, values += n) {
        for (int64_t i = 0; i < n; i++)
            values[i] = pairs_fill[d];
        for (int64_t row = tile->row0; st == ST_OK && row < tile->row1; row++) {
            int64_t at;
            const int64_t end = end_pair(s, tile, row, &at);

            if (at < end)
                st = put_row(s, (pairs_dataset_t)d, at, end, out,
                             values + (row - tile->row0) * width + s->pairs->target[at] -
                                 tile->col0);
        }
    }
    return st;
}

static void pack(void *ctx, int64_t k, int thread)
{
    store_t *s = ctx;
    job_align_t *j = s->job;
    job_align_collected_t *c = &j->collected[0];
    const tile_t tile = tile_at(&j->grid, s->first + k);
    pairs_hits_t *hits = &c->tiles[k];
    const int64_t n_values = j->spec.n_datasets * tile_grid_values(&j->grid);

    hits->entries.len = hits->text.len = s->records[k].len = 0;
    hits->n_without_identity = 0;
    s->failed[k] = j->is_sparse ? pick(s, &tile, hits)
                                : scatter(s, &tile, hits, c->values + k * n_values);
    if (s->failed[k] == ST_OK)
        s->failed[k] = job_align_pack(&j->base, 0, (int)k, thread, &s->records[k]);
}

/* ---- all tiles ---- */

static status_t reserve(store_t *s, pool_t *pool)
{
    job_align_t *j = s->job;
    const size_t n = (size_t)s->capacity, tile = (size_t)tile_grid_values(&j->grid);
    const size_t values = tile * (size_t)j->spec.n_datasets;

    s->records = calloc(n, sizeof(*s->records));
    s->failed = calloc(n, sizeof(*s->failed));
    s->row_start = calloc((size_t)j->n_queries + 2, sizeof(*s->row_start));
    j->collected[0].tiles = calloc(n, sizeof(*j->collected[0].tiles));
    j->collected[0].tiles_capacity = s->capacity;
    j->scratch = malloc((size_t)pool_n_threads(pool) * tile * sizeof(*j->scratch) + 1);
    if (!j->is_sparse)
        j->collected[0].values = malloc(n * values * sizeof(int32_t) + 1);
    if (s->records == NULL || s->failed == NULL || s->row_start == NULL ||
        j->collected[0].tiles == NULL || j->scratch == NULL ||
        (!j->is_sparse && j->collected[0].values == NULL))
        return log_nomem("tiles");
    for (int64_t k = 0; k < s->pairs->n; k++)
        s->row_start[s->pairs->query[k] + 1]++;
    for (int64_t row = 0; row < j->n_queries; row++)
        s->row_start[row + 1] += s->row_start[row];
    return ST_OK;
}

static status_t store_tiles(store_t *s, pool_t *pool)
{
    const int64_t n_tiles = s->job->grid.n_tiles;
    status_t st = ST_OK;

    for (int64_t n; st == ST_OK && s->first < n_tiles; s->first += n) {
        n = n_tiles - s->first < s->capacity ? n_tiles - s->first : s->capacity;
        pool_run(pool, n, pack, s);
        for (int64_t k = 0; st == ST_OK && k < n; k++) {
            st = s->failed[k];
            if (st == ST_OK)
                st = job_store(&s->job->base, s->first + k, 0, s->records[k].data,
                               s->records[k].len);
        }
    }
    return st;
}

/* ---- the job ---- */

static status_t set_up(job_align_t *j, const align_pairs_t *p, pool_t *pool)
{
    status_t st = ST_OK;

    j->base.pool = pool;
    job_align_take(j);
    j->files = seq_files_named("the set");
    j->spec = *p->spec;
    j->n_queries = j->prepared.n_records = p->queries->n;
    j->digest = seqset_digest(p->queries);
    j->set = p->queries;
    if (p->references != NULL) {
        j->references_digest = seqset_digest(p->references);
        st = seqset_join(p->queries, j->n_strands > 1, p->references, &j->set);
        j->col_first = j->n_queries * j->n_strands;
        j->n_references = p->references->n;
    }
    if (st == ST_OK)
        job_align_plan(j);
    j->old.n = j->n_queries; /* what filters ruled out is not known */
    return st;
}

/* @param  the job's options */
static status_t run(job_align_t *j, const align_pairs_t *p, const align_store_run_t *run)
{
    store_t s = {.pairs = p,
                 .job = j,
                 .capacity = TILES_PER_THREAD * pool_n_threads(run->pool)};
    const job_report_t report = {.items = p->n, .ranks = &run->device, .n_ranks = 1};
    status_t st = set_up(j, p, run->pool);

    if (st == ST_OK)
        st = job_output_check(&j->base);
    if (st == ST_OK)
        st = reserve(&s, run->pool);
    if (st == ST_OK && (st = job_open(&j->base)) == ST_OK) {
        if ((st = store_tiles(&s, run->pool)) == ST_OK)
            st = job_finish(&j->base, &report);
        if (st != ST_OK)
            reslog_remove(j->base.log);
    }
    for (int k = 0; s.records != NULL && k < s.capacity; k++)
        buf_free(&s.records[k]);
    free(s.records);
    free(s.failed);
    free(s.row_start);
    return st;
}

status_t align_store_write(const align_pairs_t *p, const align_store_run_t *how,
                           const char *path)
{
    align_opts_t opts = *p->opts;
    job_align_t *j;
    job_t *job;
    status_t st;

    opts.common.output = path;
    opts.common.force = true;
    opts.common.version = how->program;
    opts.common.command_line = how->command;
    opts.max_output_bytes = INT64_MAX;
    if ((st = job_create(&job_align_ops, &opts.common, &job)) != ST_OK)
        return st;
    j = (job_align_t *)job;
    st = run(j, p, how);
    j->files = (seq_files_t){0};
    if (j->set == p->queries)
        j->set = NULL; /* the caller's */
    job_destroy(job);
    return st;
}
