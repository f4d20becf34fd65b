/*
 * search_centroids.c - of all pairs, the hits that greedy clustering around centroids
 * needs.
 *
 * Sequences are taken in an order.  One that has a hit with a centroid before it joins a
 * cluster; any other one becomes a centroid.  So only the hits of sequences with the
 * centroids before them matter.  They are found level by level:
 *   1. the sequences of a level are compared with all centroids found so far;
 *   2. those without a hit are compared with each other, which shows which of them are
 *      centroids;
 *   3. the others are compared with these new centroids before them.
 * A level is as long as all levels before it together, so there are few, and step 2
 * compares at most as many pairs as all against all.
 *
 * Sequences are numbered here by their places in the order.  Every worker finds the hits
 * by itself, as it does bounds (search_bounds.c), so that none waits for another.
 */
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"

#include <inttypes.h>
#include <stdlib.h>

/* Sequences of a level: the k-mer vectors of a level are in memory at a time. */
enum { LEVEL_MIN = 1 << 8, LEVEL_MAX = 1 << 16 };

/* Pairs filtered per launch. */
enum { PIECE_PAIRS = 1 << 24 };

/* A sequence and one before it. */
typedef struct {
    int32_t later, earlier;
} hit_t;

/* Sequences, ascending. */
typedef struct {
    const int32_t *at;
    int64_t n;
} places_t;

typedef struct {
    search_t *search;
    int64_t max_pairs, n_aligned;
    const int32_t *order; /* [n] the sequence at each place */
    int32_t *place;       /* [n] of each sequence */
    uint8_t *is_member;   /* [n] it has a hit with a centroid before it */
    buf_t centroids;      /* int32_t: of all levels so far */
    /* of a level */
    buf_t members; /* int32_t: sequences that have a hit with a centroid before it; before
                    * that is known, all */
    buf_t open;    /* int32_t: the others */
    buf_t fresh;   /* int32_t: new centroids */
    buf_t inner;   /* hit_t between open ones */
    buf_t hits;    /* hit_t with centroids */
    buf_t pairs;   /* pair_t to be aligned */
    buf_t *to;     /* where hits go: inner or hits */
} finding_t;

static places_t places_of(const buf_t *buf)
{
    return (places_t){(const void *)buf->data, (int64_t)(buf->len / sizeof(int32_t))};
}

static int64_t n_hits(const buf_t *buf)
{
    return (int64_t)(buf->len / sizeof(hit_t));
}

/* ---- comparing ---- */

/* Some sequences with others, or with each other. */
typedef struct {
    places_t rows, cols;
    bool is_triangle; /* rows with each other; there are no cols */
    seqset_t *set;    /* rows, then cols */
    pair_filter_t *filter;
} comparison_t;

static int32_t place_at(const comparison_t *c, int64_t i)
{
    return i < c->rows.n ? c->rows.at[i] : c->cols.at[i - c->rows.n];
}

static status_t make_set(const finding_t *f, comparison_t *c)
{
    const seqset_t *all = f->search->context.set;
    seqset_builder_t b = {.alphabet = all->alphabet};
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < c->rows.n + c->cols.n; i++) {
        const int32_t sequence = f->order[place_at(c, i)];

        st = seqset_builder_add(&b, "", 0, seqset_letters(all, sequence),
                                (size_t)seqset_len(all, sequence));
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&b, &c->set);
    seqset_builder_free(&b);
    return st;
}

static status_t make_filter(const finding_t *f, comparison_t *c)
{
    const search_t *s = f->search;
    align_context_t context = search_align_context(s, s->context.filter);
    const filter_shape_t shape = {.triangle = c->is_triangle,
                                  .n_rows = c->is_triangle ? 0 : c->rows.n};
    status_t st = make_set(f, c);

    if (st != ST_OK || s->context.filter == NULL)
        return st;
    context.set = c->set;
    return pair_filter_create(&context, s->min_identity, shape, &c->filter);
}

/* Want the pair of sequences i and k of a comparison, unless k comes later. */
static status_t want(finding_t *f, const comparison_t *c, int64_t i, int64_t k)
{
    const int32_t a = place_at(c, i), b = place_at(c, k);
    const int32_t x = f->order[a], y = f->order[b];
    const pair_t pair = {x < y ? x : y, x < y ? y : x};

    return b > a && !c->is_triangle ? ST_OK : buf_append(&f->pairs, &pair, sizeof(pair));
}

/* Want the pairs of a rectangle that the filter passes: all, if none is proved. */
static status_t want_passed(finding_t *f, const comparison_t *c, filter_rect_t rect)
{
    const pair_t *pairs;
    const int64_t *start;
    status_t st = ST_OK;

    f->pairs.len = 0;
    if (c->filter != NULL) {
        if ((st = pair_filter_submit(c->filter, &rect, 1)) != ST_OK ||
            (st = pair_filter_wait(c->filter, &pairs, &start, NULL)) != ST_OK)
            return st;
        for (int64_t k = 0; st == ST_OK && k < start[1]; k++)
            st = want(f, c, pairs[k].query, pairs[k].target);
        return st;
    }
    for (int64_t i = rect.row0; i < rect.row1; i++)
        for (int64_t k = c->is_triangle ? i + 1 : rect.col0; st == ST_OK && k < rect.col1;
             k++)
            st = want(f, c, i, k);
    return st;
}

static status_t note(void *ctx, const pair_batch_t *batch, const pair_results_t *results,
                     const search_values_t *values)
{
    finding_t *f = ctx;
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < batch->n; k++) {
        const int32_t a = f->place[batch->pairs[k].query];
        const int32_t b = f->place[batch->pairs[k].target];
        const hit_t hit = {a > b ? a : b, a > b ? b : a};
        pairs_hit_t found;

        search_pick(f->search, batch, results, values, k, &found);
        if (fraction_reached(&f->search->min_identity, found.matches, found.columns))
            st = buf_append(f->to, &hit, sizeof(hit));
    }
    f->n_aligned += batch->n;
    return st;
}

static status_t search_rect(finding_t *f, const comparison_t *c, filter_rect_t rect)
{
    int64_t start[2] = {0}, n_out;
    search_passed_t passed;
    status_t st = want_passed(f, c, rect);

    if (st != ST_OK)
        return st;
    start[1] = (int64_t)(f->pairs.len / sizeof(pair_t));
    passed = (search_passed_t){(const void *)f->pairs.data, start};
    if ((st = search_edits_run(f->search, 1, &passed, &n_out)) != ST_OK)
        return st;
    return search_align(f->search, passed.pairs, passed.start[1], f->max_pairs, note, f);
}

/* Append the hits of rows with the columns before them, or (NULL) with each other. */
static status_t compare(finding_t *f, const buf_t *rows, const buf_t *cols, buf_t *to)
{
    const places_t none = {NULL, 0};
    comparison_t c = {.rows = places_of(rows),
                      .cols = cols != NULL ? places_of(cols) : none,
                      .is_triangle = cols == NULL};
    const int64_t col0 = c.is_triangle ? 0 : c.rows.n, n = c.rows.n + c.cols.n;
    const int64_t step = PIECE_PAIRS / (n - col0 + 1) + 1;
    status_t st = ST_OK;

    if (c.rows.n == 0 || n == col0)
        return ST_OK;
    f->to = to;
    st = make_filter(f, &c);
    for (int64_t row = 0; st == ST_OK && row < c.rows.n; row += step) {
        const int64_t end = row + step < c.rows.n ? row + step : c.rows.n;

        st = search_rect(f, &c, (filter_rect_t){row, end, col0, n});
        if (st == ST_OK && align_cancelled(f->search->context.run.cancel))
            st = ST_ESTOPPED;
    }
    pair_filter_destroy(c.filter);
    seqset_destroy(c.set);
    return st;
}

/* ---- levels ---- */

/* List which sequences of a level are members so far, and which are open. */
static status_t divide(finding_t *f, int64_t first, int64_t end)
{
    status_t st = ST_OK;

    f->members.len = f->open.len = 0;
    for (int32_t i = (int32_t)first; st == ST_OK && i < end; i++)
        st = buf_append(f->is_member[i] ? &f->members : &f->open, &i, sizeof(i));
    return st;
}

static int by_later(const void *a, const void *b)
{
    const hit_t *x = a, *y = b;

    return (x->later > y->later) - (x->later < y->later);
}

/* Take the open sequences of a level in order, and keep the hits with new centroids. */
static status_t choose(finding_t *f)
{
    const places_t open = places_of(&f->open);
    hit_t *hit = (void *)f->inner.data;
    const int64_t n = n_hits(&f->inner);
    int64_t k = 0;
    status_t st = ST_OK;

    if (n > 0)
        qsort(hit, (size_t)n, sizeof(*hit), by_later);
    f->fresh.len = 0;
    for (int64_t i = 0; st == ST_OK && i < open.n; i++) {
        const int32_t at = open.at[i];

        for (; st == ST_OK && k < n && hit[k].later == at; k++)
            if (!f->is_member[hit[k].earlier]) {
                f->is_member[at] = true;
                st = buf_append(&f->hits, &hit[k], sizeof(*hit));
            }
        if (st == ST_OK && !f->is_member[at])
            st = buf_append(&f->fresh, &at, sizeof(at));
    }
    return st == ST_OK ? buf_append(&f->centroids, f->fresh.data, f->fresh.len) : st;
}

static status_t search_level(finding_t *f, int64_t first, int64_t end)
{
    const int64_t before = n_hits(&f->hits);
    status_t st = divide(f, first, end); /* all are open */

    if (st != ST_OK || (st = compare(f, &f->open, &f->centroids, &f->hits)) != ST_OK)
        return st;
    for (int64_t k = before; k < n_hits(&f->hits); k++)
        f->is_member[((const hit_t *)(const void *)f->hits.data)[k].later] = true;
    f->inner.len = 0;
    if ((st = divide(f, first, end)) != ST_OK ||
        (st = compare(f, &f->open, NULL, &f->inner)) != ST_OK ||
        (st = choose(f)) != ST_OK)
        return st;
    return compare(f, &f->members, &f->fresh, &f->hits);
}

static status_t search_levels(finding_t *f)
{
    const int64_t n = f->search->context.set->n;
    status_t st = ST_OK;

    for (int64_t first = 0, end; st == ST_OK && first < n; first = end) {
        const int64_t more = first < LEVEL_MIN   ? LEVEL_MIN
                             : first < LEVEL_MAX ? first
                                                 : LEVEL_MAX;

        end = first + more < n ? first + more : n;
        if ((st = search_level(f, first, end)) == ST_OK)
            log_verbose("centroids: %" PRId64 " of %" PRId64 " sequences, by %" PRId64
                        " alignments",
                        places_of(&f->centroids).n, end, f->n_aligned);
    }
    return st;
}

/* ---- listing ---- */

static int by_row(const void *a, const void *b)
{
    const pair_t *x = a, *y = b;

    return x->query != y->query ? (x->query > y->query) - (x->query < y->query)
                                : (x->target > y->target) - (x->target < y->target);
}

/* Keep the pairs that are hits by row, then by column. */
static status_t keep(finding_t *f)
{
    search_centroids_t *c = &f->search->centroids;
    const hit_t *hit = (const void *)f->hits.data;
    const int64_t n = n_hits(&f->hits), n_rows = f->search->context.set->n;

    c->pairs = malloc((size_t)n * sizeof(*c->pairs) + 1);
    c->row_start = calloc((size_t)n_rows + 1, sizeof(*c->row_start));
    if (c->pairs == NULL || c->row_start == NULL)
        return log_nomem("hits of centroids");
    for (int64_t k = 0; k < n; k++) {
        const int32_t a = f->order[hit[k].later], b = f->order[hit[k].earlier];

        c->pairs[k] = (pair_t){a < b ? a : b, a < b ? b : a};
        c->row_start[c->pairs[k].query + 1]++;
    }
    qsort(c->pairs, (size_t)n, sizeof(*c->pairs), by_row);
    for (int64_t i = 0; i < n_rows; i++)
        c->row_start[i + 1] += c->row_start[i];
    return ST_OK;
}

static status_t find(search_t *s, int64_t max_pairs)
{
    const int64_t n = s->context.set->n;
    finding_t f = {.search = s,
                   .max_pairs = max_pairs,
                   .order = s->context.centroid_order};
    status_t st = ST_OK;

    f.place = malloc((size_t)n * sizeof(*f.place) + 1);
    f.is_member = calloc((size_t)n + 1, 1);
    if (f.place == NULL || f.is_member == NULL)
        st = log_nomem("centroids");
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        f.place[f.order[i]] = (int32_t)i;
    if (st == ST_OK && (st = search_levels(&f)) == ST_OK)
        st = keep(&f);
    free(f.place);
    free(f.is_member);
    buf_free(&f.centroids);
    buf_free(&f.members);
    buf_free(&f.open);
    buf_free(&f.fresh);
    buf_free(&f.inner);
    buf_free(&f.hits);
    buf_free(&f.pairs);
    return st;
}

/* Append the hits of a tile. */
static status_t append_tile(search_t *s, const tile_t *t)
{
    search_centroids_t *c = &s->centroids;
    status_t st = ST_OK;

    for (int64_t row = t->row0; st == ST_OK && row < t->row1; row++) {
        const pair_t *at = c->pairs + c->row_start[row];
        const pair_t *end = c->pairs + c->row_start[row + 1], *first;

        while (at < end && at->target < t->col0)
            at++;
        for (first = at; at < end && at->target < t->col1;)
            at++;
        st = buf_append(&c->listed, first, (size_t)(at - first) * sizeof(*at));
    }
    return st;
}

/* @return pairs listed so far */
static int64_t n_listed(const search_t *s)
{
    return (int64_t)(s->centroids.listed.len / sizeof(pair_t));
}

static status_t append_tiles(search_t *s, search_limits_t limits, search_batch_t *out)
{
    search_centroids_t *c = &s->centroids;
    int64_t before = 0;
    status_t st = ST_OK;

    c->listed.len = c->start.len = 0;
    for (int k = 0; st == ST_OK && k < out->n_tiles; k++, before = n_listed(s)) {
        if ((st = append_tile(s, &out->tiles[k])) != ST_OK)
            return st;
        if (k > 0 && n_listed(s) > limits.pairs) {
            out->n_tiles = k;
            break;
        }
        out->dropped[k] =
            (search_dropped_t){{tile_pairs(&out->tiles[k]) - (n_listed(s) - before)}};
        st = buf_append(&c->start, &before, sizeof(before));
    }
    if (st == ST_OK)
        st = buf_append(&c->start, &before, sizeof(before));
    if (st != ST_OK)
        return st;
    return search_batch_append(s, out, 0, out->n_tiles,
                               (search_passed_t){(const void *)c->listed.data,
                                                 (const void *)c->start.data});
}

status_t search_centroids_list(search_t *s, search_limits_t limits, search_batch_t *out)
{
    status_t st = s->centroids.pairs == NULL ? find(s, limits.pairs) : ST_OK;

    return st == ST_OK ? append_tiles(s, limits, out) : st;
}

void search_centroids_free(search_centroids_t *c)
{
    free(c->pairs);
    free(c->row_start);
    buf_free(&c->listed);
    buf_free(&c->start);
}
