/*
 * search_find.c - the best hits of queries among all targets.
 *
 * Any hits of a query give a bound: let b be the lower one of the identities of its
 * n_best-th best hit so far and of its best hit so far in a second group.  A hit below b
 * is neither one of the n_best best, however many are found yet, nor the best outside
 * the group of the best one, since two groups have hits that reach b.  So the query's
 * likely targets are aligned first; then filters, which pass every pair that may reach b,
 * choose from all other targets.  Further hits raise the bounds.
 *
 * A query without likely targets (and none of others with its row) has no such bound.  It
 * is searched for hits of a high identity alone, and if there are too few, for those of
 * the next lower one.
 *
 * Queries with the same row differ in the targets that are removed.  Each pair is
 * filtered and aligned once for all of them: a row requires the lowest of their bounds.
 */
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"

#include <stdlib.h>
#include <string.h>

/* Pairs that the k-mer filter tests per launch, and pairs aligned at a time. */
static const int64_t pairs_per_piece[] = {
    [DEVICE_CPU] = 1 << 22, [DEVICE_CUDA] = 1 << 24};
enum { ALIGNED_PAIRS = 1 << 20 };

/* Targets are searched in at least MIN_PIECES pieces, because each raises the bounds for
 * those after it. */
enum { MIN_PIECES = 64 };

/* Rows between those of queries that may be in a rectangle. */
enum { GAP_ROWS = 8 };

static const fraction_t levels[SEARCH_LEVELS_MAX] = {{95, 100}, {88, 100}, {80, 100}};

typedef struct {
    int32_t row, query;
} row_t;

typedef struct {
    pairs_hit_t hit;
    int32_t query;
} found_t;

typedef struct {
    search_t *search;
    const search_query_t *queries;
    int64_t n;
    search_best_t *best;
    int64_t n_rows;   /* queries that have one, and are not finished */
    int64_t at;       /* in the rows: of the pair that was looked at last */
    fraction_t level; /* that hits of queries without bounds have to reach */
} finding_t;

status_t search_finder_prepare(search_t *s)
{
    const int64_t n_rows = s->context.first_target;

    s->required = malloc(((size_t)n_rows + 1) * sizeof(*s->required));
    if (s->required == NULL)
        return log_nomem("the best hits");
    for (int64_t row = 0; row < n_rows; row++)
        s->required[row] = pair_filter_every;
    s->find.piece_pairs = pairs_per_piece[s->context.device->kind];
    memcpy(s->edits.levels, levels, sizeof(levels));
    s->edits.n_levels = SEARCH_LEVELS_MAX;
    return ST_OK;
}

void search_finder_free(search_finder_t *f)
{
    buf_free(&f->rows);
    buf_free(&f->likely);
    buf_free(&f->rects);
    buf_free(&f->pairs);
    buf_free(&f->found);
    buf_free(&f->first);
    buf_free(&f->hits);
}

/* ---- rows ---- */

static int by_row(const void *a, const void *b)
{
    const row_t *x = a, *y = b;

    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->query > y->query) - (x->query < y->query);
}

static status_t sort_rows(finding_t *f)
{
    buf_t *buf = &f->search->find.rows;
    row_t *rows;
    status_t st;

    buf->len = 0;
    if ((st = buf_reserve(buf, (size_t)f->n * sizeof(*rows) + 1)) != ST_OK)
        return st;
    rows = (void *)buf->data;
    for (int32_t q = 0; q < f->n; q++)
        if (f->queries[q].row >= 0)
            rows[f->n_rows++] = (row_t){f->queries[q].row, q};
    qsort(rows, (size_t)f->n_rows, sizeof(*rows), by_row);
    return ST_OK;
}

static const row_t *rows_of(const finding_t *f)
{
    return (const void *)f->search->find.rows.data;
}

/* @return the end of the queries that have the row of the one at `first` */
static int64_t row_end(const finding_t *f, int64_t first)
{
    const row_t *rows = rows_of(f);
    int64_t end = first + 1;

    while (end < f->n_rows && rows[end].row == rows[first].row)
        end++;
    return end;
}

/* Go on to the first query of a row that is not below that of the last call.
 * @return whether there is one */
static bool go_to_row(finding_t *f, int32_t row)
{
    const row_t *rows = rows_of(f);

    while (f->at < f->n_rows && rows[f->at].row < row)
        f->at++;
    return f->at < f->n_rows && rows[f->at].row == row;
}

/* @return whether the query, or another one with its row, has likely targets */
static bool has_likely(const finding_t *f, int64_t query)
{
    return f->search->find.likely.data[query] != 0;
}

/* What the hits of a query have to reach, whatever was found. */
static fraction_t level_of(const finding_t *f, int64_t query)
{
    return has_likely(f, query) ? f->search->min_identity : f->level;
}

static fraction_t bound_of(const finding_t *f, int64_t query)
{
    pairs_hit_t last;

    return search_best_last(f->best, query, &last)
               ? (fraction_t){last.matches, last.columns}
               : level_of(f, query);
}

/* A row requires the lowest bound of its queries. */
static status_t require(const finding_t *f)
{
    search_t *s = f->search;
    const row_t *rows = rows_of(f);
    bool has_changed = false;

    for (int64_t i = 0, end; i < f->n_rows; i = end) {
        fraction_t *required = &s->required[rows[i].row];
        fraction_t lowest = bound_of(f, rows[i].query);

        end = row_end(f, i);
        for (int64_t k = i + 1; k < end; k++) {
            const fraction_t bound = bound_of(f, rows[k].query);

            lowest = search_is_below(bound, lowest) ? bound : lowest;
        }
        has_changed |= lowest.numerator != required->numerator ||
                       lowest.denominator != required->denominator;
        *required = lowest;
    }
    return has_changed && search_has_row_identities(&s->context)
               ? pair_filter_set_identities(s->filter, s->required)
               : ST_OK;
}

/* Rows that no query has are to pass nothing. */
static void release_rows(const finding_t *f)
{
    const row_t *rows = rows_of(f);

    for (int64_t i = 0; i < f->n_rows; i++)
        f->search->required[rows[i].row] = pair_filter_every;
}

/* Note which queries have likely targets. */
static status_t note_likely(const finding_t *f)
{
    buf_t *likely = &f->search->find.likely;
    const row_t *rows = rows_of(f);
    status_t st;

    likely->len = 0;
    if ((st = buf_reserve(likely, (size_t)f->n + 1)) != ST_OK)
        return st;
    for (int64_t i = 0, end; i < f->n_rows; i = end) {
        bool any = false;

        end = row_end(f, i);
        for (int64_t k = i; k < end; k++)
            any |= f->queries[rows[k].query].n_likely > 0;
        for (int64_t k = i; k < end; k++)
            likely->data[rows[k].query] = any;
    }
    return ST_OK;
}

/* ---- pairs and hits ---- */

static bool contains(const int32_t *sorted, int64_t n, int32_t value)
{
    int64_t low = 0, high = n;

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && sorted[low] == value;
}

static bool is_removed(const search_query_t *q, int32_t target)
{
    return target >= q->n_targets || contains(q->removed, q->n_removed, target);
}

/* @return whether a target is likely for any of the queries at first .. end-1, which have
 *         one row */
static bool is_likely(const finding_t *f, int64_t first, int64_t end, int32_t target)
{
    for (int64_t i = first; i < end; i++) {
        const search_query_t *q = &f->queries[rows_of(f)[i].query];

        if (contains(q->likely, q->n_likely, target))
            return true;
    }
    return false;
}

/* Append the pair of a row and a target, unless all queries of the row lack it. */
static status_t want(const finding_t *f, int64_t first, int64_t end, int32_t target)
{
    const pair_t pair = {rows_of(f)[first].row,
                         (int32_t)(f->search->context.first_target + target)};

    for (int64_t i = first; i < end; i++)
        if (!is_removed(&f->queries[rows_of(f)[i].query], target))
            return buf_append(&f->search->find.pairs, &pair, sizeof(pair));
    return ST_OK;
}

/* Note hits for all queries of their rows. */
static status_t note(void *ctx, const pair_batch_t *batch, const pair_results_t *results,
                     const search_values_t *values)
{
    finding_t *f = ctx;
    search_t *s = f->search;
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < batch->n; k++) {
        const int32_t target =
            (int32_t)(batch->pairs[k].target - s->context.first_target);
        found_t found;
        int64_t end;

        search_pick(s, batch, results, values, k, &found.hit);
        if (!go_to_row(f, found.hit.row))
            continue;
        end = row_end(f, f->at);
        for (int64_t i = f->at; st == ST_OK && i < end; i++) {
            fraction_t level;

            found.query = rows_of(f)[i].query;
            level = level_of(f, found.query);
            if (fraction_reached(&level, found.hit.matches, found.hit.columns) &&
                !is_removed(&f->queries[found.query], target) &&
                search_best_note(f->best, found.query, &found.hit,
                                 s->context.group_of[target]))
                st = buf_append(&s->find.found, &found, sizeof(found));
        }
    }
    return st;
}

static status_t align(finding_t *f, const pair_t *pairs, int64_t n)
{
    f->at = 0;
    return search_align(f->search, pairs, n, ALIGNED_PAIRS, note, f);
}

/* Align the queries with their likely targets. */
static status_t align_likely(finding_t *f)
{
    search_finder_t *s = &f->search->find;
    status_t st = ST_OK;

    s->pairs.len = s->found.len = 0;
    for (int64_t i = 0, end; i < f->n_rows; i = end) {
        end = row_end(f, i);
        for (int64_t k = i; k < end; k++) {
            const search_query_t *q = &f->queries[rows_of(f)[k].query];

            for (int64_t m = 0; st == ST_OK && m < q->n_likely; m++)
                if (!is_likely(f, i, k, q->likely[m]))
                    st = want(f, i, end, q->likely[m]);
        }
    }
    return st == ST_OK ? align(f, (const void *)s->pairs.data,
                               (int64_t)(s->pairs.len / sizeof(pair_t)))
                       : st;
}

/* List the pairs that passed and are not aligned yet. */
static status_t want_passed(finding_t *f, const pair_t *pairs, int64_t n)
{
    const search_context_t *c = &f->search->context;
    status_t st = ST_OK;

    f->at = 0;
    f->search->find.pairs.len = 0;
    for (int64_t k = 0; st == ST_OK && k < n; k++) {
        const int32_t target = (int32_t)(pairs[k].target - c->first_target);
        int64_t end;

        if (c->group_of[target] < 0 || !go_to_row(f, pairs[k].query))
            continue;
        end = row_end(f, f->at);
        if (!is_likely(f, f->at, end, target))
            st = want(f, f->at, end, target);
    }
    return st;
}

/* Find the hits of all queries with targets col0 .. col1 - 1 of the set. */
static status_t search_piece(finding_t *f, int64_t col0, int64_t col1)
{
    search_t *s = f->search;
    filter_rect_t *rects = (void *)s->find.rects.data;
    const int64_t n_rects = (int64_t)(s->find.rects.len / sizeof(*rects));
    search_passed_t passed;
    int64_t start[2] = {0}, n_out;
    status_t st;

    for (int64_t k = 0; k < n_rects; k++) {
        rects[k].col0 = col0;
        rects[k].col1 = col1;
    }
    if ((st = pair_filter_submit(s->filter, rects, n_rects)) != ST_OK ||
        (st = pair_filter_wait(s->filter, &passed.pairs, &passed.start, NULL)) != ST_OK ||
        (st = want_passed(f, passed.pairs, passed.start[n_rects])) != ST_OK)
        return st;
    start[1] = (int64_t)(s->find.pairs.len / sizeof(pair_t));
    passed = (search_passed_t){(const void *)s->find.pairs.data, start};
    if ((st = search_edits_run(s, 1, &passed, &n_out)) != ST_OK)
        return st;
    return align(f, passed.pairs, passed.start[1]);
}

/* @return whether one of the queries of a row, at first .. end - 1, has targets from
 *         `col` of the set on */
static bool goes_on(const finding_t *f, int64_t first, int64_t end, int64_t col)
{
    for (int64_t i = first; i < end; i++)
        if (f->queries[rows_of(f)[i].query].n_targets >
            col - f->search->context.first_target)
            return true;
    return false;
}

/* Make rectangles of the rows of queries that have targets from `col` of the set on.
 * @param n_rows  out: in all rectangles */
static status_t make_rects(const finding_t *f, int64_t col, int64_t *n_rows)
{
    const row_t *rows = rows_of(f);
    buf_t *rects = &f->search->find.rects;
    filter_rect_t rect = {.row1 = -1};
    status_t st = ST_OK;

    rects->len = 0;
    *n_rows = 0;
    for (int64_t i = 0, end; st == ST_OK && i < f->n_rows; i = end) {
        end = row_end(f, i);
        if (!goes_on(f, i, end, col))
            continue;
        if (rect.row1 >= 0 && rows[i].row - rect.row1 < GAP_ROWS) {
            rect.row1 = rows[i].row + 1;
            continue;
        }
        if (rect.row1 >= 0)
            st = buf_append(rects, &rect, sizeof(rect));
        rect = (filter_rect_t){.row0 = rows[i].row, .row1 = rows[i].row + 1};
    }
    if (st == ST_OK && rect.row1 >= 0)
        st = buf_append(rects, &rect, sizeof(rect));
    for (size_t k = 0; k < rects->len / sizeof(rect); k++) {
        const filter_rect_t *r = (const filter_rect_t *)rects->data + k;

        *n_rows += r->row1 - r->row0;
    }
    return st;
}

/* Search all targets for what queries require at this level. */
static status_t search_level(finding_t *f)
{
    const search_context_t *c = &f->search->context;
    const int64_t piece_pairs = f->search->find.piece_pairs;
    int64_t col = c->first_target, n_rows, cols;
    status_t st = make_rects(f, col, &n_rows);

    while (st == ST_OK && n_rows > 0 && col < c->set->n) {
        cols = (c->set->n - c->first_target) / MIN_PIECES + 1;
        if (piece_pairs / n_rows + 1 < cols)
            cols = piece_pairs / n_rows + 1;
        if ((st = require(f)) == ST_OK)
            st = search_piece(f, col, col + cols < c->set->n ? col + cols : c->set->n);
        col += cols;
        if (st == ST_OK)
            st = make_rects(f, col, &n_rows);
    }
    return st;
}

static bool is_finished(const finding_t *f, int64_t query)
{
    pairs_hit_t last;

    return has_likely(f, query) || search_best_last(f->best, query, &last);
}

/* Leave out what is finished, and forget what was found of the rest. */
static void go_down(finding_t *f)
{
    search_finder_t *s = &f->search->find;
    found_t *found = (void *)s->found.data;
    row_t *rows = (void *)s->rows.data;
    const int64_t n_found = (int64_t)(s->found.len / sizeof(*found));
    int64_t n_kept = 0, n_rows = 0;

    for (int64_t i = 0; i < n_found; i++)
        if (is_finished(f, found[i].query))
            found[n_kept++] = found[i];
    s->found.len = (size_t)n_kept * sizeof(*found);
    for (int64_t i = 0; i < f->n_rows; i++) {
        f->search->required[rows[i].row] = pair_filter_every;
        if (is_finished(f, rows[i].query))
            continue;
        search_best_forget(f->best, rows[i].query);
        rows[n_rows++] = rows[i];
    }
    f->n_rows = n_rows;
}

/* Equal targets, then the filters' levels that are above the minimum, then that. */
static status_t search_all(finding_t *f)
{
    const fraction_t min = f->search->min_identity;
    status_t st = ST_OK;

    for (int k = -1; st == ST_OK && f->n_rows > 0 && k < SEARCH_LEVELS_MAX; k++) {
        f->level = k < 0 ? (fraction_t){1, 1} : levels[k];
        if (!search_is_below(min, f->level))
            break;
        if ((st = search_level(f)) == ST_OK)
            go_down(f);
    }
    f->level = min;
    return st == ST_OK && f->n_rows > 0 ? search_level(f) : st;
}

/* ---- results ---- */

typedef struct {
    search_hits_t hits;
    pairs_order_t order;
} sorting_t;

static void sort_query(void *ctx, int64_t q, int thread)
{
    const sorting_t *r = ctx;

    (void)thread;
    pairs_order_sort(r->order, r->hits.hits + r->hits.first[q],
                     r->hits.first[q + 1] - r->hits.first[q]);
}

static bool is_among_best(const finding_t *f, const found_t *found)
{
    pairs_hit_t last;

    return !search_best_last(f->best, found->query, &last) ||
           pairs_order_compare(f->search->context.order, &found->hit, &last) >= 0;
}

/* Sort what is among the best by query. */
static status_t sort_found(const finding_t *f, search_hits_t *out)
{
    search_finder_t *s = &f->search->find;
    found_t *found = (void *)s->found.data;
    int64_t n_found = (int64_t)(s->found.len / sizeof(*found)), n_kept = 0, *first;
    sorting_t r = {.order = f->search->context.order};
    status_t st;

    s->first.len = s->hits.len = 0;
    for (int64_t i = 0; i < n_found; i++)
        if (is_among_best(f, &found[i]))
            found[n_kept++] = found[i];
    if ((st = buf_reserve(&s->first, ((size_t)f->n + 1) * sizeof(*first))) != ST_OK ||
        (st = buf_reserve(&s->hits, ((size_t)n_kept + 1) * sizeof(*r.hits.hits))) !=
            ST_OK)
        return st;
    first = (void *)s->first.data;
    r.hits = (search_hits_t){first, (void *)s->hits.data};
    memset(first, 0, ((size_t)f->n + 1) * sizeof(*first));
    for (int64_t i = 0; i < n_kept; i++)
        first[found[i].query + 1]++;
    for (int64_t q = 0; q < f->n; q++)
        first[q + 1] += first[q];
    for (int64_t i = 0; i < n_kept; i++)
        r.hits.hits[first[found[i].query]++] = found[i].hit;
    memmove(first + 1, first, (size_t)f->n * sizeof(*first));
    first[0] = 0;
    pool_run(f->search->context.pool, f->n, sort_query, &r);
    *out = r.hits;
    return ST_OK;
}

status_t search_find(search_t *s, const search_query_t *queries, int64_t n,
                     search_hits_t *out)
{
    finding_t f = {.search = s, .queries = queries, .n = n};
    status_t st =
        search_best_create(s->context.order, n, s->context.n_best, true, &f.best);

    if (st == ST_OK && (st = sort_rows(&f)) == ST_OK && (st = note_likely(&f)) == ST_OK &&
        (st = align_likely(&f)) == ST_OK && (st = search_all(&f)) == ST_OK) {
        release_rows(&f);
        st = sort_found(&f, out);
    }
    search_best_destroy(f.best);
    return st;
}
