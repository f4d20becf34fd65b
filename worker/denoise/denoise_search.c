/*
 * denoise_search.c - tiles through the filters, and the alignments of what is left.
 */
#include "worker/denoise/denoise_search.h"

#include "io/base/logmsg.h"
#include "io/pairs/identity_def.h"
#include "kernels/align/edits/edit_filter.h"
#include "kernels/align/search/search.h"
#include "kernels/denoise/mismatch_bound.h"

#include <stdlib.h>
#include <string.h>

/* Pairs that are listed, filtered per launch, and at most aligned at a time. */
enum { LISTED = 1 << 24, FILTERED = 1 << 22, ALIGNED = 1 << 18 };

struct denoise_search {
    denoise_search_context_t context;
    align_spec_t spec;
    search_t *search;
    search_batch_t batch;
    mismatch_bound_t *bound;
    mismatch_words_t *words; /* [threads] of a centroid */
    int64_t *n_kept;         /* [batch.tiles_capacity] pairs of each tile */
    edit_filter_t *edits;
    uint8_t *keep; /* [ALIGNED] */
    int kept_capacity;
};

static status_t create_search(denoise_search_t *s)
{
    const denoise_search_context_t *c = &s->context;
    const search_context_t context = {.device = c->device,
                                      .pool = c->pool,
                                      .run = {.band = true, .cancel = c->cancel},
                                      .set = c->reads,
                                      .n_queries = c->reads->n,
                                      .n_strands = 1,
                                      .spec = &s->spec,
                                      .filter = &s->spec,
                                      .min_identity = DENOISE_MIN_IDENTITY,
                                      .order = PAIRS_BY_IDENTITY,
                                      .aligner = {.kernel = c->kernel}};

    s->spec = align_spec_vsearch();
    /* without a minimum any two reads might overlap by a few equal bases */
    s->spec.min_overlap = (fraction_t){1, 2};
    return search_create(&context, &s->search);
}

/* It tests the few pairs that the bound of mismatches leaves, so not in the search. */
static status_t create_edits(denoise_search_t *s)
{
    const denoise_search_context_t *c = &s->context;
    const align_context_t context = {.device = c->device,
                                     .pool = c->pool,
                                     .set = c->reads,
                                     .spec = &s->spec,
                                     .run = {.band = true, .cancel = c->cancel}};

    if ((s->keep = malloc(ALIGNED)) == NULL)
        return log_nomem("pairs of reads");
    return edit_filter_create(&context, DENOISE_MIN_IDENTITY, &s->edits);
}

static status_t create_bound(denoise_search_t *s)
{
    const int n_threads = pool_n_threads(s->context.pool);

    if ((s->words = calloc((size_t)n_threads, sizeof(*s->words))) == NULL)
        return log_nomem("words of reads");
    for (int k = 0; k < n_threads; k++)
        s->words[k].read = -1;
    return mismatch_bound_create(s->context.reads, &s->bound);
}

status_t denoise_search_create(const denoise_search_context_t *context,
                               denoise_search_t **out)
{
    denoise_search_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("a search");
    s->context = *context;
    if ((st = create_bound(s)) != ST_OK || (st = create_search(s)) != ST_OK ||
        (st = create_edits(s)) != ST_OK) {
        denoise_search_destroy(s);
        return st;
    }
    *out = s;
    return ST_OK;
}

void denoise_search_destroy(denoise_search_t *s)
{
    if (s == NULL)
        return;
    search_destroy(s->search);
    search_batch_free(&s->batch);
    mismatch_bound_destroy(s->bound);
    free(s->words);
    free(s->n_kept);
    edit_filter_destroy(s->edits);
    free(s->keep);
    free(s);
}

const char *denoise_search_kernel(const denoise_search_t *s)
{
    return search_kernel(s->search);
}

double denoise_search_guess(const denoise_search_t *s)
{
    return search_guess(s->search);
}

status_t denoise_search_list(denoise_search_t *s, const tile_t *tiles, int n,
                             int64_t side, int *n_listed)
{
    const int64_t piece = FILTERED / (side * side) + 1;
    const search_limits_t limits = {.pairs = LISTED,
                                    .piece_tiles = piece < n ? (int)piece : n};
    status_t st = search_list(s->search, tiles, n, limits, false, &s->batch);

    *n_listed = s->batch.n_tiles;
    return st;
}

/* ---- pairs that may be edges ---- */

/* Keep those of a tile; reads are the queries. */
static void keep_tile(void *ctx, int64_t k, int thread)
{
    denoise_search_t *s = ctx;
    const int64_t first = s->batch.first_pair[k], end = s->batch.first_pair[k + 1];
    const int64_t *size = s->context.size;
    pair_t *to = s->batch.pairs + first, before = {-1, -1};
    int64_t max_mismatches = 0;

    for (int64_t at = first; at < end; at++) {
        const pair_t pair = {s->batch.pairs[at].target, s->batch.pairs[at].query};

        /* many reads in a row have the same abundance */
        if (pair.target != before.target || size[pair.query] != size[before.query])
            max_mismatches = denoise_max_mismatches(s->context.alpha, size[pair.query],
                                                    size[pair.target]);
        before = pair;
        mismatch_bound_set(s->bound, pair.target, &s->words[thread]);
        if (mismatch_bound_may(s->bound, &s->words[thread], pair.query, max_mismatches))
            *to++ = pair;
    }
    s->n_kept[k] = to - (s->batch.pairs + first);
}

static status_t keep_pairs(denoise_search_t *s)
{
    search_batch_t *b = &s->batch;
    int64_t n = 0;

    if (b->n_tiles > s->kept_capacity) {
        free(s->n_kept);
        s->kept_capacity = 0;
        s->n_kept = malloc((size_t)b->tiles_capacity * sizeof(*s->n_kept));
        if (s->n_kept == NULL)
            return log_nomem("pairs of reads");
        s->kept_capacity = b->tiles_capacity;
    }
    pool_run(s->context.pool, b->n_tiles, keep_tile, s);
    for (int k = 0; k < b->n_tiles; k++) {
        const int64_t from = b->first_pair[k];

        if (s->n_kept[k] > 0)
            memmove(b->pairs + n, b->pairs + from,
                    (size_t)s->n_kept[k] * sizeof(*b->pairs));
        b->first_pair[k] = n;
        n += s->n_kept[k];
    }
    b->first_pair[b->n_tiles] = n;
    b->batch = (pair_batch_t){b->pairs, n};
    return ST_OK;
}

/* ---- alignments ---- */

/* @return whether an alignment makes an edge */
static bool is_edge(const denoise_search_t *s, pair_t pair, const uint32_t *runs,
                    int64_t n_runs, denoise_edge_t *out)
{
    const identity_counts_t c = identity_def_count(runs, n_runs, 0);
    const int64_t columns = c.matches + c.mismatches + c.gap_letters - c.end_letters;

    *out = (denoise_edge_t){pair.query, pair.target, (int32_t)c.matches,
                            (int32_t)c.mismatches, (int32_t)columns};
    return fraction_reached(&DENOISE_MIN_IDENTITY, c.matches, columns) &&
           denoise_accepts(s->context.alpha, s->context.size[pair.query],
                           s->context.size[pair.target], c.mismatches);
}

/* Leave out pairs with too many edits. @return as edit_filter_run */
static status_t test_edits(denoise_search_t *s, pair_t *pairs, int64_t *n)
{
    const pair_batch_t batch = {pairs, *n};
    status_t st = edit_filter_run(s->edits, &batch, s->keep);
    int64_t n_kept = 0;

    for (int64_t k = 0; st == ST_OK && k < batch.n; k++)
        if (s->keep[k])
            pairs[n_kept++] = pairs[k];
    *n = n_kept;
    return st;
}

/* Align n pairs, but those with too many edits. */
static status_t align_piece(denoise_search_t *s, pair_t *pairs, int64_t n, buf_t *edges)
{
    search_batch_t piece = {.batch = {pairs, n}};
    pair_results_t r;
    status_t st = test_edits(s, pairs, &piece.batch.n);

    if (st != ST_OK || piece.batch.n == 0)
        return st == ST_ESTOPPED ? ST_OK : st;
    if ((st = search_submit(s->search, &piece)) != ST_OK ||
        (st = search_wait(s->search, &r)) != ST_OK ||
        __atomic_load_n(s->context.cancel, __ATOMIC_RELAXED) != 0)
        return st;
    for (int64_t k = 0; st == ST_OK && k < piece.batch.n; k++) {
        const int64_t start = r.cigar_start[k], n_runs = r.cigar_start[k + 1] - start;
        denoise_edge_t edge;

        if (n_runs > 0 && is_edge(s, pairs[k], r.cigar + start, n_runs, &edge))
            st = buf_append(edges, &edge, sizeof(edge));
    }
    return st;
}

/* Find the first edge of each tile. */
static void divide(const search_batch_t *b, const buf_t *edges, int64_t *first)
{
    const denoise_edge_t *all = (const void *)edges->data;
    const int64_t n = (int64_t)(edges->len / sizeof(*all));
    int64_t e = 0;

    for (int k = 0; k < b->n_tiles; k++) {
        first[k] = e;
        while (e < n && denoise_edge_is_in(&all[e], &b->tiles[k]))
            e++;
    }
    first[b->n_tiles] = e;
}

status_t denoise_search_find(denoise_search_t *s, buf_t *edges, int64_t *first)
{
    const search_batch_t *b = &s->batch;
    status_t st = keep_pairs(s);

    edges->len = 0;
    for (int64_t at = 0; st == ST_OK && at < b->batch.n; at += ALIGNED)
        st = align_piece(s, s->batch.pairs + at,
                         b->batch.n - at < ALIGNED ? b->batch.n - at : ALIGNED, edges);
    if (st == ST_OK)
        divide(b, edges, first);
    return st;
}
