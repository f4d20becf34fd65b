/*
 * class_hits_find.c - the best hits of reads among all references.
 *
 * Any hits of a read give a bound: let b be the lower one of the identities of its
 * n_best-th best hit so far and of its best hit so far in a second class.  A hit below b
 * is neither one of the n_best best, however many are found yet, nor the best outside
 * the class of the best one, since two classes have hits that reach b.  So the read's
 * candidates are aligned first; then filters, which pass every pair that may reach b,
 * choose from all other references.  Further hits raise the bounds.
 */
#include "io/base/logmsg.h"
#include "worker/classify/class_hits_state.h"

#include <stdlib.h>
#include <string.h>

/* Pairs that the k-mer filter tests at a time. */
static const int64_t piece_pairs[DEVICE_N_KINDS] = {
    [DEVICE_CPU] = 1 << 22, [DEVICE_CUDA] = 1 << 24};

/* References are searched in at least MIN_PIECES pieces: each raises the bounds for
 * those after it. */
enum { MIN_PIECES = 64 };

/* Rows between those of queries that may be in a rectangle. */
enum { GAP_ROWS = 8 };

static const fraction_t levels[CLASS_HITS_LEVELS] = {{95, 100}, {88, 100}, {80, 100}};

/* k-mers that suit this identity suit those around it well enough. */
static const fraction_t typical = {9, 10};

typedef struct {
    int32_t row, query;
} class_row_t;

void class_hits_search_free(class_search_t *s)
{
    pair_filter_destroy(s->filter);
    for (int k = 0; k < CLASS_HITS_LEVELS; k++)
        edit_filter_destroy(s->edits[k]);
    free(s->identities);
    buf_free(&s->bounds);
    buf_free(&s->rows);
    buf_free(&s->rects);
    buf_free(&s->keep);
}

/* @return whether a < b */
static bool is_below(fraction_t a, fraction_t b)
{
    return a.numerator * b.denominator < b.numerator * a.denominator;
}

static fraction_t min_identity(const class_hits_t *h)
{
    return h->context.min_identity.denominator > 0 ? h->context.min_identity
                                                   : pair_filter_none;
}

static bool has_row_identities(const class_hits_t *h)
{
    return !align_ends_limit_overlap(h->context.ends);
}

static status_t prepare(class_hits_t *h)
{
    class_search_t *s = &h->search;
    const align_context_t context = class_hits_align_context(h);
    const int64_t n_rows = h->context.first_ref;
    const bool by_row = has_row_identities(h);
    const filter_shape_t shape = {.n_rows = n_rows, .per_row_identity = by_row};

    if (s->filter != NULL)
        return ST_OK;
    if (s->identities == NULL &&
        (s->identities = malloc(((size_t)n_rows + 1) * sizeof(*s->identities))) == NULL)
        return log_nomem("the best hits");
    for (int64_t row = 0; row < n_rows; row++)
        s->identities[row] = pair_filter_every;
    s->piece_pairs = piece_pairs[h->context.device->kind];
    return pair_filter_create(&context, by_row ? typical : min_identity(h), shape,
                              &s->filter);
}

static fraction_t *bounds(const class_hits_t *h)
{
    return (void *)h->search.bounds.data;
}

/*
 * Choose among the sorted hits of a query.
 *
 * @param bound  out: that further hits have to reach
 * @return how many to keep
 */
static int64_t choose(const class_hits_t *h, const class_hit_t *hits, int64_t n,
                      fraction_t *bound)
{
    const fraction_t min = min_identity(h);
    int64_t second = 0, needed = h->context.n_best;

    while (n > 0 && !fraction_reached(&min, hits[n - 1].matches, hits[n - 1].columns))
        n--;
    while (second < n && hits[second].class_number == hits[0].class_number)
        second++;
    needed = needed > second + 1 ? needed : second + 1;
    *bound = min;
    if (n < needed)
        return n;
    *bound = (fraction_t){hits[needed - 1].matches, hits[needed - 1].columns};
    return class_hits_top(hits, n, needed);
}

/*
 * Drop all hits that are too bad, and raise the bounds.
 *
 * @param n          queries
 * @param has_risen  out: whether any bound has
 */
static status_t cut(class_hits_t *h, int64_t n, bool *has_risen)
{
    class_hits_results_t r;
    status_t st = class_hits_sort(h, n, &r);

    *has_risen = false;
    h->found.len = 0;
    for (int32_t q = 0; st == ST_OK && q < n; q++) {
        const class_hit_t *hits = r.hits + r.first[q];
        const fraction_t before = bounds(h)[q];
        const int64_t n_kept =
            choose(h, hits, r.first[q + 1] - r.first[q], &bounds(h)[q]);

        *has_risen |= is_below(before, bounds(h)[q]);
        for (int64_t i = 0; st == ST_OK && i < n_kept; i++) {
            const class_found_t found = {hits[i], q};

            st = buf_append(&h->found, &found, sizeof(found));
        }
    }
    return st;
}

static int by_row(const void *a, const void *b)
{
    const class_row_t *x = a, *y = b;

    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->query > y->query) - (x->query < y->query);
}

static status_t sort_rows(class_hits_t *h, const class_query_t *queries, int64_t n)
{
    class_search_t *s = &h->search;
    class_row_t *rows;
    status_t st;

    s->rows.len = 0;
    if ((st = buf_reserve(&s->rows, (size_t)n * sizeof(*rows))) != ST_OK)
        return st;
    rows = (void *)s->rows.data;
    for (int32_t q = 0; q < n; q++)
        rows[q] = (class_row_t){queries[q].row, q};
    qsort(rows, (size_t)n, sizeof(*rows), by_row);
    return ST_OK;
}

/* A row requires the lowest bound of its queries. */
static status_t require(class_hits_t *h, int64_t n)
{
    class_search_t *s = &h->search;
    const class_row_t *rows = (const void *)s->rows.data;

    if (!has_row_identities(h))
        return ST_OK;
    for (int64_t i = 0; i < n; i++) {
        const fraction_t bound = bounds(h)[rows[i].query];
        fraction_t *identity = &s->identities[rows[i].row];

        if (i == 0 || rows[i].row != rows[i - 1].row || is_below(bound, *identity))
            *identity = bound;
    }
    return pair_filter_set_identities(s->filter, s->identities);
}

/* Rows that no query has are to pass nothing. */
static void release_rows(class_hits_t *h, int64_t n)
{
    const class_row_t *rows = (const void *)h->search.rows.data;

    for (int64_t i = 0; i < n; i++)
        h->search.identities[rows[i].row] = pair_filter_every;
}

/* Make rectangles of all rows of queries. @param n_rows  out: in all rectangles */
static status_t make_rects(class_hits_t *h, int64_t n, int64_t *n_rows)
{
    class_search_t *s = &h->search;
    const class_row_t *rows = (const void *)s->rows.data;
    status_t st = ST_OK;

    s->rects.len = 0;
    *n_rows = 0;
    for (int64_t i = 0, end; st == ST_OK && i < n; i = end) {
        for (end = i + 1; end < n && rows[end].row - rows[end - 1].row <= GAP_ROWS;)
            end++;
        const filter_rect_t rect = {.row0 = rows[i].row, .row1 = rows[end - 1].row + 1};

        st = buf_append(&s->rects, &rect, sizeof(rect));
        *n_rows += rect.row1 - rect.row0;
    }
    return st;
}

static bool is_candidate(const class_query_t *q, int32_t class_number)
{
    for (int32_t k = 0; k < q->n_classes; k++)
        if (q->classes[k] == class_number)
            return true;
    return false;
}

/* @return the first of the n sorted rows that is not below `row` */
static int64_t find_row(const class_row_t *rows, int64_t n, int32_t row)
{
    int64_t low = 0, high = n;

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (rows[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Append the pairs that passed to h->wanted, for all queries of their rows whose
 * candidates do not include them. */
static status_t want_passed(class_hits_t *h, const class_query_t *queries, int64_t n,
                            const pair_t *pairs, int64_t n_pairs)
{
    const class_row_t *rows = (const void *)h->search.rows.data;
    int64_t first = 0;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n_pairs; i++) {
        const int32_t ref = (int32_t)(pairs[i].target - h->context.first_ref);

        if (i == 0 || pairs[i].query != pairs[i - 1].query)
            first = find_row(rows, n, pairs[i].query);
        for (int64_t k = first; st == ST_OK && k < n && rows[k].row == pairs[i].query;
             k++) {
            const class_query_t *q = &queries[rows[k].query];
            const class_pair_t wanted = {pairs[i], rows[k].query};

            if (class_hits_may_have(h, q, ref) &&
                !is_candidate(q, h->context.class_of[ref]))
                st = buf_append(&h->wanted, &wanted, sizeof(wanted));
        }
    }
    return st;
}

/* @return the level of the edit filter for a bound; CLASS_HITS_LEVELS: none */
static int level_of(fraction_t bound)
{
    int level = 0;

    while (level < CLASS_HITS_LEVELS && is_below(bound, levels[level]))
        level++;
    return level;
}

/* Have the edit filter of a level test wanted pairs. @param indices  [n] of them
 * @param keep  [of all wanted pairs] out: 0 for those that it rules out */
static status_t test_level(class_hits_t *h, int level, const int64_t *indices, int64_t n,
                           uint8_t *keep)
{
    class_search_t *s = &h->search;
    const class_pair_t *wanted = (const void *)h->wanted.data;
    const align_context_t context = class_hits_align_context(h);
    buf_t *buf = &h->pairs[0], kept = {0};
    pair_t *pairs;
    status_t st = ST_OK;

    buf->len = 0;
    if (s->edits[level] == NULL)
        st = edit_filter_create(&context, levels[level], &s->edits[level]);
    if (st != ST_OK || (st = buf_reserve(buf, (size_t)n * sizeof(*pairs))) != ST_OK ||
        (st = buf_reserve(&kept, (size_t)n)) != ST_OK)
        return st;
    pairs = (void *)buf->data;
    for (int64_t i = 0; i < n; i++)
        pairs[i] = wanted[indices[i]].pair;
    st = edit_filter_run(s->edits[level], &(pair_batch_t){pairs, n}, kept.data);
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        keep[indices[i]] = kept.data[i];
    buf_free(&kept);
    return st;
}

/* Remove wanted pairs that have too many edits to reach the bound of their query. */
static status_t filter_by_edits(class_hits_t *h)
{
    class_pair_t *wanted = (void *)h->wanted.data;
    const int64_t n = (int64_t)(h->wanted.len / sizeof(*wanted));
    buf_t *keep = &h->search.keep, indices = {0};
    int64_t n_kept = 0;
    status_t st;

    keep->len = 0;
    if ((st = buf_reserve(keep, (size_t)n)) != ST_OK)
        return st;
    for (int level = 0; level <= CLASS_HITS_LEVELS && st == ST_OK; level++) {
        indices.len = 0;
        for (int64_t i = 0; i < n && st == ST_OK; i++)
            if (level_of(bounds(h)[wanted[i].query]) == level) {
                st = buf_append(&indices, &i, sizeof(i));
                keep->data[i] = 1;
            }
        if (st == ST_OK && level < CLASS_HITS_LEVELS && indices.len > 0)
            st = test_level(h, level, (const void *)indices.data,
                            (int64_t)(indices.len / sizeof(int64_t)), keep->data);
    }
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        if (keep->data[i])
            wanted[n_kept++] = wanted[i];
    h->wanted.len = (size_t)n_kept * sizeof(*wanted);
    buf_free(&indices);
    return st;
}

/* Find the hits of all queries with references col0 .. col1 - 1 of the set. */
static status_t search_piece(class_hits_t *h, const class_query_t *queries, int64_t n,
                             int64_t col0, int64_t col1)
{
    filter_rect_t *rects = (void *)h->search.rects.data;
    const int64_t n_rects = (int64_t)(h->search.rects.len / sizeof(*rects));
    const pair_t *pairs;
    const int64_t *start;
    status_t st;

    for (int64_t k = 0; k < n_rects; k++) {
        rects[k].col0 = col0;
        rects[k].col1 = col1;
    }
    if ((st = pair_filter_submit(h->search.filter, rects, n_rects)) != ST_OK ||
        (st = pair_filter_wait(h->search.filter, &pairs, &start, NULL)) != ST_OK ||
        (st = want_passed(h, queries, n, pairs, start[n_rects])) != ST_OK ||
        (st = filter_by_edits(h)) != ST_OK)
        return st;
    return class_hits_align(h);
}

static status_t search_all(class_hits_t *h, const class_query_t *queries, int64_t n)
{
    const int64_t n_sequences = h->context.set->n;
    int64_t n_rows, cols;
    bool has_risen;
    status_t st = make_rects(h, n, &n_rows);

    if (st == ST_OK)
        st = require(h, n);
    cols = (n_sequences - h->context.first_ref) / MIN_PIECES + 1;
    if (n_rows > 0 && h->search.piece_pairs / n_rows + 1 < cols)
        cols = h->search.piece_pairs / n_rows + 1;
    for (int64_t col = h->context.first_ref; st == ST_OK && n > 0 && col < n_sequences;
         col += cols) {
        const int64_t end = col + cols < n_sequences ? col + cols : n_sequences;

        if ((st = search_piece(h, queries, n, col, end)) == ST_OK &&
            (st = cut(h, n, &has_risen)) == ST_OK && has_risen)
            st = require(h, n);
    }
    return st;
}

status_t class_hits_find(class_hits_t *h, const class_query_t *queries, int64_t n,
                         class_hits_results_t *out)
{
    class_hits_results_t candidates;
    const fraction_t min = min_identity(h);
    bool has_risen;
    status_t st = prepare(h);

    h->search.bounds.len = 0;
    for (int64_t q = 0; st == ST_OK && q < n; q++)
        st = buf_append(&h->search.bounds, &min, sizeof(min));
    if (st != ST_OK || (st = sort_rows(h, queries, n)) != ST_OK ||
        (st = class_hits_among(h, queries, n, &candidates)) != ST_OK ||
        (st = cut(h, n, &has_risen)) != ST_OK)
        return st;
    st = search_all(h, queries, n);
    release_rows(h, n);
    return st == ST_OK ? class_hits_sort(h, n, out) : st;
}
