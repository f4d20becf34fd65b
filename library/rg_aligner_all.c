/*
 * rg_aligner_all.c - aligns all pairs, tile by tile: to all of them, or to the hits among
 * them.
 */
#include "io/base/clock.h"
#include "io/store/tile.h"
#include "library/rg_aligner.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair of the results, and where its runs are. */
typedef struct {
    pairs_hit_t hit;
    int64_t runs_at, n_runs;
} found_t;

typedef struct {
    rg_aligner_t *a;
    search_t *search;
    tile_grid_t grid;
    bool is_sparse, has_cigar;
    int strands;
    search_batch_t batches[ALIGNER_DEPTH];
    int64_t begun, collected; /* batches */
    int64_t next_tile;
    double pace; /* tiles of a batch */

    rg_result_t *dense; /* NULL: sparse */
    found_t *places;    /* [dense->n] of which only the runs are used; NULL: no CIGARs */
    buf_t found;        /* found_t of hits, in the order of tiles */
    buf_t runs;         /* of all pairs of `places` or `found`, in that order */

    /* the batch that is collected */
    const search_batch_t *batch;
    const pair_results_t *results;
    search_values_t values;
    buf_t *picked; /* [tiles of a batch] int64_t and found_t */
    int n_picked;
    atomic_bool lacks_memory;
} all_t;

/* ---- all pairs ---- */

/* @return the place of a pair row < col in results that are sorted by row, then by column
 */
static int64_t place_of(int64_t n, int64_t row, int64_t col)
{
    return row * (2 * n - row - 1) / 2 + col - row - 1;
}

static void scatter(void *ctx, int64_t k, int thread)
{
    all_t *t = ctx;
    rg_result_t *r = t->dense;

    (void)thread;
    for (int64_t at = t->batch->first_pair[k]; at < t->batch->first_pair[k + 1]; at++) {
        const pair_t pair = t->batch->pairs[at];
        const int64_t to = place_of(t->grid.n, pair.query, pair.target);

        r->query[to] = pair.query;
        r->target[to] = pair.target;
        r->score[to] = t->results->score[at];
        if (r->matches != NULL) {
            r->matches[to] = t->values.numerator[at];
            r->columns[to] = t->values.denominator[at];
        }
        if (t->has_cigar) {
            const int64_t *start = t->results->cigar_start + at;

            t->places[to].runs_at = (int64_t)(t->runs.len / sizeof(uint32_t)) + start[0];
            t->places[to].n_runs = start[1] - start[0];
        }
    }
}

static status_t take_all(all_t *t)
{
    const int64_t n = t->batch->batch.n;

    pool_run(t->a->context->pool, t->batch->n_tiles, scatter, t);
    if (!t->has_cigar || n == 0)
        return ST_OK;
    return buf_append(&t->runs, t->results->cigar,
                      (size_t)t->results->cigar_start[n] * sizeof(uint32_t));
}

/* ---- hits ---- */

static void pick(void *ctx, int64_t k, int thread)
{
    all_t *t = ctx;
    buf_t *out = &t->picked[k];

    (void)thread;
    out->len = 0;
    for (int64_t at = t->batch->first_pair[k]; at < t->batch->first_pair[k + 1];
         at += t->strands) {
        found_t f = {.n_runs = 0};
        const int64_t from =
            search_pick(t->search, &t->batch->batch, t->results, &t->values, at, &f.hit);

        if (!search_keeps(t->search, &f.hit))
            continue;
        if (t->has_cigar) {
            f.runs_at = t->results->cigar_start[from];
            f.n_runs = t->results->cigar_start[from + 1] - f.runs_at;
        }
        if (buf_append(out, &f, sizeof(f)) != ST_OK)
            atomic_store(&t->lacks_memory, true);
    }
}

static status_t append_found(all_t *t, found_t f)
{
    const uint32_t *runs = t->results->cigar;
    status_t st = ST_OK;

    if (f.n_runs > 0) {
        runs += f.runs_at;
        f.runs_at = (int64_t)(t->runs.len / sizeof(*runs));
        st = buf_append(&t->runs, runs, (size_t)f.n_runs * sizeof(*runs));
    }
    return st == ST_OK ? buf_append(&t->found, &f, sizeof(f)) : st;
}

static status_t take_hits(all_t *t)
{
    const int n = t->batch->n_tiles;
    status_t st = ST_OK;

    if (n > t->n_picked) {
        buf_t *more = realloc(t->picked, (size_t)n * sizeof(*more));

        if (more == NULL)
            return log_nomem("hits");
        memset(more + t->n_picked, 0, (size_t)(n - t->n_picked) * sizeof(*more));
        t->picked = more;
        t->n_picked = n;
    }
    pool_run(t->a->context->pool, n, pick, t);
    if (atomic_load(&t->lacks_memory))
        return ST_ENOMEM;
    for (int k = 0; st == ST_OK && k < n; k++) {
        const found_t *found = (const found_t *)(const void *)t->picked[k].data;

        for (size_t i = 0; st == ST_OK && i < t->picked[k].len / sizeof(*found); i++)
            st = append_found(t, found[i]);
    }
    return st;
}

/* Counting sort by row; it is stable, and tiles came in the order of columns.
 * @param start  [rows + 1] zeros */
static void sort_hits(const all_t *t, found_t *out, int64_t *start)
{
    const found_t *found = (const found_t *)(const void *)t->found.data;
    const int64_t n = (int64_t)(t->found.len / sizeof(*found));

    for (int64_t k = 0; k < n; k++)
        start[found[k].hit.row + 1]++;
    for (int64_t row = 0; row < t->grid.n; row++)
        start[row + 1] += start[row];
    for (int64_t k = 0; k < n; k++)
        out[start[found[k].hit.row]++] = found[k];
}

/* ---- results ---- */

/* Copy runs into the order of the pairs. @param found  [out->n] */
static status_t gather_runs(const all_t *t, const found_t *found, rg_result_t *out)
{
    const uint32_t *runs = (const uint32_t *)(const void *)t->runs.data;
    status_t st = ST_OK;

    if (!t->has_cigar)
        return ST_OK;
    st = buf_reserve(&out->runs, t->runs.len + sizeof(*runs));
    for (int64_t k = 0; st == ST_OK && k < out->n; k++) {
        if (found[k].n_runs > 0)
            st = buf_append(&out->runs, runs + found[k].runs_at,
                            (size_t)found[k].n_runs * sizeof(*runs));
        out->cigar_start[k + 1] = out->cigar_start[k] + found[k].n_runs;
    }
    return st;
}

static status_t put_hits(const all_t *t, const found_t *found, int64_t n,
                         rg_result_t **out)
{
    rg_result_t *r = NULL;
    status_t st = rg_result_create(&t->a->context->memory, n, t->a->origin, &r);

    if (st != ST_OK)
        return st;
    for (int64_t k = 0; k < n; k++) {
        const pairs_hit_t *hit = &found[k].hit;

        r->query[k] = hit->row;
        r->target[k] = (int32_t)(hit->col - t->a->first_target);
        r->score[k] = hit->score;
        r->matches[k] = hit->matches;
        r->columns[k] = hit->columns;
        if (r->strand != NULL)
            r->strand[k] = (int8_t)hit->strand;
    }
    if ((st = gather_runs(t, found, r)) != ST_OK || (st = rg_result_complete(r)) != ST_OK)
        rg_result_destroy(r);
    else
        *out = r;
    return st;
}

static status_t finish_hits(const all_t *t, rg_result_t **out)
{
    const align_opts_t *o = &t->a->origin->opts;
    int64_t n = (int64_t)(t->found.len / sizeof(found_t));
    found_t *found = malloc((size_t)n * sizeof(*found) + 1);
    int64_t *start = calloc((size_t)t->grid.n + 1, sizeof(*start));
    status_t st = ST_OK;

    if (found == NULL || start == NULL)
        st = log_nomem("hits");
    if (st == ST_OK)
        sort_hits(t, found, start);
    if (st == ST_OK && o->top > 0)
        st = pairs_order_keep(job_align_spec_order(o), o->top, found, sizeof(*found), &n);
    if (st == ST_OK)
        st = put_hits(t, found, n, out);
    free(found);
    free(start);
    return st;
}

static status_t finish(all_t *t, rg_result_t **out)
{
    status_t st;

    if (t->is_sparse)
        return finish_hits(t, out);
    if ((st = gather_runs(t, t->places, t->dense)) != ST_OK ||
        (st = rg_result_complete(t->dense)) != ST_OK)
        return st;
    *out = t->dense;
    t->dense = NULL;
    return ST_OK;
}

/* ---- batches ---- */

static align_memory_t memory_of(const all_t *t)
{
    return rg_aligner_memory(t->a, t->search, tile_grid_values(&t->grid));
}

/* @return tiles of the next batch */
static int n_tiles(const all_t *t)
{
    const int64_t left = t->grid.n_tiles - t->next_tile;
    const int64_t n = (int64_t)t->pace;

    return (int)(n < left ? n : left);
}

static status_t begin_batch(all_t *t)
{
    search_batch_t *b = &t->batches[t->begun % ALIGNER_DEPTH];
    const align_memory_t memory = memory_of(t);
    const int n = n_tiles(t);
    tile_t *tiles = malloc((size_t)n * sizeof(*tiles));
    status_t st;

    if (tiles == NULL)
        return log_nomem("tiles");
    for (int k = 0; k < n; k++)
        tiles[k] = tile_at(&t->grid, t->next_tile + k);
    st = search_list(t->search, tiles, n, align_memory_limits(&memory), true, b);
    free(tiles);
    if (st != ST_OK || (st = search_submit(t->search, b)) != ST_OK)
        return st;
    t->next_tile += b->n_tiles;
    t->begun++;
    return ST_OK;
}

static status_t end_batch(all_t *t)
{
    pair_results_t results;
    status_t st;

    t->batch = &t->batches[t->collected++ % ALIGNER_DEPTH];
    if ((st = search_wait(t->search, &results)) != ST_OK)
        return st;
    if (align_cancelled(&t->a->context->cancel))
        return ST_ESTOPPED;
    t->results = &results;
    if ((st = search_values(t->search, &t->batch->batch, &results, &t->values)) != ST_OK)
        return st;
    return t->is_sparse ? take_hits(t) : take_all(t);
}

/* A batch is to take rg_aligner_piece_s.  The first one has a TRUST-th of the tiles that
 * the guessed rate suggests, and the next ones grow or shrink by at most this factor. */
static const double TRUST = 4;

static void set_pace(all_t *t, double pace)
{
    const align_memory_t memory = memory_of(t);

    t->pace = fmin(fmax(pace, 1), align_memory_max_tiles(&memory));
}

static void begin_pace(all_t *t)
{
    const int64_t *offset = t->a->set->offset, n = t->a->set->n;
    const double queries = (double)offset[t->a->n_queries];
    const double targets = (double)(offset[n] - offset[t->a->first_target]);
    const double cells = t->strands * queries * targets / (t->a->joined == NULL ? 2 : 1);
    const double whole_s = cells / search_guess(t->search);

    set_pace(t,
             (double)t->grid.n_tiles * rg_aligner_piece_s(t->search) / TRUST / whole_s);
}

static void adjust_pace(all_t *t, double seconds)
{
    const double factor = seconds > 0 ? rg_aligner_piece_s(t->search) / seconds : TRUST;

    set_pace(t, t->pace * fmin(fmax(factor, 1 / TRUST), TRUST));
}

static status_t run_batches(all_t *t)
{
    const int depth = search_depth(t->search);
    const double n = (double)t->grid.n_tiles;
    double last = clock_now_s();
    status_t st = ST_OK;

    while (st == ST_OK && (t->next_tile < t->grid.n_tiles || t->collected < t->begun)) {
        if (t->next_tile < t->grid.n_tiles && t->begun - t->collected < depth) {
            st = begin_batch(t);
            continue;
        }
        if ((st = end_batch(t)) == ST_OK)
            st = rg_context_progress(t->a->context, (double)t->next_tile / n);
        adjust_pace(t, clock_now_s() - last);
        last = clock_now_s();
    }
    for (pair_results_t ignored; t->collected < t->begun; t->collected++)
        if (search_wait(t->search, &ignored) != ST_OK)
            break;
    return st;
}

/* ---- the whole ---- */

static status_t begin(all_t *t)
{
    const rg_aligner_t *a = t->a;
    const search_context_t search = rg_aligner_search(a, false);
    const int64_t n = a->n_queries;
    status_t st = ST_OK;

    t->is_sparse = job_align_is_sparse(&a->origin->opts);
    t->has_cigar = a->origin->opts.emit == EMIT_CIGAR;
    t->strands = search.n_strands;
    t->grid = job_align_spec_grid(&search);
    if (!t->is_sparse)
        st = rg_result_create(&a->context->memory, n > 1 ? n * (n - 1) / 2 : 0, a->origin,
                              &t->dense);
    if (st == ST_OK && !t->is_sparse && t->has_cigar) {
        t->places = malloc((size_t)t->dense->n * sizeof(*t->places) + 1);
        st = t->places != NULL ? ST_OK : log_nomem("CIGARs");
    }
    if (st == ST_OK)
        st = rg_context_progress(a->context, 0);
    if (st == ST_OK && (st = search_create(&search, &t->search)) == ST_OK)
        begin_pace(t);
    return st;
}

static void free_all(all_t *t)
{
    search_destroy(t->search);
    for (int k = 0; k < ALIGNER_DEPTH; k++)
        search_batch_free(&t->batches[k]);
    for (int k = 0; k < t->n_picked; k++)
        buf_free(&t->picked[k]);
    free(t->picked);
    buf_free(&t->found);
    buf_free(&t->runs);
    free(t->places);
    rg_result_destroy(t->dense);
}

rg_status_t rg_aligner_all(rg_aligner_t *a, rg_result_t **out)
{
    all_t t = {.a = a};
    log_sink_t *before;
    rg_status_t status = rg_context_enter(a != NULL ? a->context : NULL, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (out != NULL && (st = begin(&t)) == ST_OK && (st = run_batches(&t)) == ST_OK)
        st = finish(&t, out);
    if (st == ST_OK)
        (*out)->is_all = true;
    free_all(&t);
    return rg_context_leave(a->context, before, st);
}
