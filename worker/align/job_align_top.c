/*
 * job_align_top.c - the job "align" on a worker: where each query's best hits alone are
 * wanted, how good the N-th of them is at least, so that a filter rules out what is
 * worse.
 *
 * Let b be the worst identity among hits of a query with N different references.  A hit
 * below b is worse than N others: it is none of the N best, nor does it tie with the last
 * of them, whatever else is found.  So it need not be found, and a filter of which the
 * query asks b leaves the result what it is, if it passes all hits that reach b.  It does
 * (job_align_identity_filtered): such a hit is the alignment of one strand of the query,
 * a row that asks b, and this alignment reaches b.  The other strand is then aligned, too
 * (job_align_pairs.c), so that the better one counts as ever.  With --id a hit must reach
 * that, as well, and b does, for only such hits are looked at.
 *
 * Any N hits make a bound; good ones make a good bound.  Identities are gone through
 * downwards.  At a level the queries that have no bound yet ask for it of all references,
 * what passes is aligned, and those that have N hits at or above the level get the N-th
 * best as their bound: unless the search was cut short all hits that reach the level have
 * been seen, so it is the N-th best of all.  This ends where a filter is of no more use,
 * or where it would take too many alignments.  Queries that are left then have no bound.
 *
 * Every worker does so by itself, from all queries and references: none waits for
 * another, and whose bounds they are does not matter.
 */
#include "io/base/logmsg.h"
#include "worker/align/job_align_state.h"

#include <inttypes.h>
#include <stdlib.h>

/* One in so many of all pairs, at most, is aligned to find bounds.  A level may pass
 * more, for it is asked of those queries alone that have none yet, whose every pair will
 * have to be aligned if none is found. */
enum { PART_ALIGNED = 8, PART_PASSED = 4 };

/* Pairs that a filter looks at in one go, and rows of them. */
enum { RECT_PAIRS = 1 << 25, RECT_ROWS = 1024, COLS_STEP = 256 };

static const fraction_t levels[] = {{1, 1},    {99, 100}, {97, 100}, {95, 100},
                                    {93, 100}, {92, 100}, {91, 100}, {90, 100}};
enum { N_LEVELS = sizeof(levels) / sizeof(levels[0]) };

typedef struct {
    int32_t matches, columns;
} value_t;

/* A query's best values at a level: twice as many as are wanted at most, then the worse
 * half is dropped. */
typedef struct {
    value_t *at;
    int64_t n, capacity;
} best_t;

typedef struct {
    job_align_t *job;
    best_t *best;       /* [n_queries] */
    fraction_t *bounds; /* [n_queries] denominator 0: none yet */
    fraction_t *parts;  /* [n_queries x strands] what rows ask */
    job_align_slot_t slot;
    int64_t first_pair[2]; /* the slot's */
    int64_t n_bounds, n_aligned, n_aligned_max;
    bool is_over; /* too many were aligned */
} search_t;

static int64_t n_references(const job_align_t *j)
{
    return j->set->n - j->col_first;
}

bool job_align_top_wanted(const job_align_t *j, const align_spec_t *filter)
{
    return j->opts->against != NULL && j->opts->top > 0 && filter->ends != ENDS_FREE &&
           j->opts->top <= n_references(j) / PART_ALIGNED;
}

/* @return whether a is above b; 0/0 counts as 0 */
static bool is_above(fraction_t a, fraction_t b)
{
    return b.denominator == 0 ||
           a.numerator * b.denominator > b.numerator * a.denominator;
}

status_t job_align_top_prepare(job_align_t *j, const device_t *device,
                               filter_shape_t shape, fraction_t *part)
{
    const fraction_t *id = &j->opts->min_identity;
    fraction_t down[N_LEVELS + 1];
    align_context_t context = {device, j->pool, j->set, &j->filter_spec, j->run};
    int n = 0, n_above, n_useful;
    status_t st;

    while (n < N_LEVELS && is_above(levels[n], *id)) {
        down[n] = levels[n];
        n++;
    }
    n_above = n;
    if (id->denominator != 0)
        down[n++] = *part;
    st = pair_filter_reach(&context, shape, down, n, (fraction_t){1, PART_PASSED},
                           &n_useful);
    if (st != ST_OK)
        return st;
    j->n_top_levels = n_useful < n_above ? n_useful : n_above;
    if (n_useful > 0) /* windows that suit the lowest suit all well enough */
        *part = down[n_useful - 1];
    return ST_OK;
}

static int by_value(const void *a, const void *b)
{
    const value_t *x = a, *y = b;
    const pairs_hit_t p = {.matches = x->matches, .columns = x->columns};
    const pairs_hit_t q = {.matches = y->matches, .columns = y->columns};

    return pairs_top_compare(&q, &p);
}

static void sort_best(best_t *b)
{
    qsort(b->at, (size_t)b->n, sizeof(*b->at), by_value);
}

static status_t note(search_t *s, const pairs_hit_t *hit)
{
    best_t *b = &s->best[hit->row];
    int64_t top = s->job->opts->top;

    if (b->n == b->capacity && b->capacity < 2 * top) {
        int64_t wanted = b->capacity > 0 ? 2 * b->capacity : 8;
        int64_t capacity = wanted < 2 * top ? wanted : 2 * top;
        value_t *at = realloc(b->at, (size_t)capacity * sizeof(*at));

        if (at == NULL)
            return log_nomem("the best hits");
        b->at = at;
        b->capacity = capacity;
    }
    if (b->n == b->capacity) {
        sort_best(b);
        b->n = top;
    }
    b->at[b->n++] = (value_t){hit->matches, hit->columns};
    return ST_OK;
}

/* Align so many of the slot's pairs from `first` on, and note the hits of a level. */
static status_t align_some(search_t *s, int64_t first, int64_t n, const fraction_t *level)
{
    job_align_t *j = s->job;
    job_align_slot_t some = {.pairs = s->slot.pairs + first,
                             .batch = {s->slot.pairs + first, n}};
    job_align_values_t values;
    pair_results_t results;
    status_t st;

    if ((st = aligner_submit(j->aligner, &some.batch)) != ST_OK ||
        (st = aligner_wait(j->aligner, &results)) != ST_OK)
        return st;
    if (align_cancelled(&j->cancel))
        return ST_ESTOPPED;
    if ((st = job_align_identity_collect(j, &some, &results, &values)) != ST_OK)
        return st;
    for (int64_t at = 0; at < n && st == ST_OK; at += j->n_strands) {
        pairs_hit_t hit;

        job_align_hits_at(j, &some, &results, &values, at, &hit);
        if (fraction_reached(level, hit.matches, hit.columns))
            st = note(s, &hit);
    }
    return st;
}

/* All pairs of a rectangle that may reach a level. */
static status_t search_rect(search_t *s, tile_t rect, const fraction_t *level)
{
    job_align_t *j = s->job;
    int64_t most = job_align_batch_pairs(j);
    status_t st = job_align_list_rect(j, rect, &s->slot);

    for (int64_t first = 0, n; st == ST_OK && first < s->slot.batch.n; first += n) {
        n = s->slot.batch.n - first < most ? s->slot.batch.n - first : most;
        st = align_some(s, first, n, level);
    }
    s->n_aligned += s->slot.batch.n;
    s->is_over = s->n_aligned > s->n_aligned_max;
    return st;
}

static bool has_bound(const search_t *s, int64_t query)
{
    return s->bounds[query].denominator > 0;
}

/* Some rows against all references. */
static status_t search_rows(search_t *s, int64_t row0, int64_t row1,
                            const fraction_t *level)
{
    const job_align_t *j = s->job;
    int64_t cols;
    status_t st = ST_OK;

    while (row0 < row1 && has_bound(s, row0))
        row0++;
    while (row0 < row1 && has_bound(s, row1 - 1))
        row1--;
    if (row0 == row1)
        return ST_OK;
    cols = RECT_PAIRS / (row1 - row0) / COLS_STEP * COLS_STEP;
    for (int64_t col = j->col_first; st == ST_OK && !s->is_over && col < j->set->n;
         col += cols) {
        int64_t end = col + cols < j->set->n ? col + cols : j->set->n;

        st = search_rect(s, (tile_t){row0, row1, col, end}, level);
    }
    return st;
}

/* Have the rows, of both strands, ask. @param bounded  of queries that have a bound, or
 * NULL: that bound; others ask `other` */
static status_t ask(search_t *s, const fraction_t *bounded, fraction_t other)
{
    const job_align_t *j = s->job;

    for (int64_t row = 0; row < j->col_first; row++) {
        int64_t query = row % j->n_queries;

        s->parts[row] = !has_bound(s, query) ? other
                        : bounded != NULL    ? *bounded
                                             : s->bounds[query];
    }
    return pair_filter_set_identities(j->filter, s->parts);
}

/* Queries with hits enough get a bound; the others' hits will be seen again. */
static void take_bounds(search_t *s)
{
    int64_t top = s->job->opts->top;

    for (int64_t query = 0; query < s->job->n_queries; query++) {
        best_t *b = &s->best[query];

        if (b->n >= top) {
            sort_best(b);
            s->bounds[query] =
                (fraction_t){b->at[top - 1].matches, b->at[top - 1].columns};
            s->n_bounds++;
            free(b->at);
            *b = (best_t){0};
        }
        b->n = 0;
    }
}

static status_t search_level(search_t *s, fraction_t level)
{
    int64_t n = s->job->n_queries;
    status_t st = ask(s, &pair_filter_every, level);

    for (int64_t row = 0; st == ST_OK && !s->is_over && row < n; row += RECT_ROWS)
        st = search_rows(s, row, row + RECT_ROWS < n ? row + RECT_ROWS : n, &level);
    if (st == ST_OK)
        take_bounds(s);
    return st;
}

static status_t search_all(search_t *s)
{
    job_align_t *j = s->job;
    const fraction_t *id = &j->opts->min_identity;
    status_t st = ST_OK;

    for (int k = 0;
         st == ST_OK && k < j->n_top_levels && !s->is_over && s->n_bounds < j->n_queries;
         k++)
        st = search_level(s, levels[k]);
    if (st != ST_OK)
        return st;
    log_verbose("the best hits: %" PRId64 " of %" PRId64 " queries have a bound, by "
                "%" PRId64 " alignments",
                s->n_bounds, j->n_queries, s->n_aligned);
    if (s->n_bounds > 0 || id->numerator > 0)
        return ask(s, NULL, id->numerator > 0 ? *id : pair_filter_none);
    pair_filter_destroy(j->filter);
    j->filter = NULL;
    return ST_OK;
}

status_t job_align_top_search(job_align_t *j)
{
    search_t s = {.job = j,
                  .n_aligned_max = j->col_first * (n_references(j) / PART_ALIGNED)};
    status_t st;

    if (j->n_top_levels == 0)
        return ST_OK;
    s.slot.first_pair = s.first_pair;
    s.best = calloc((size_t)j->n_queries + 1, sizeof(*s.best));
    s.bounds = calloc((size_t)j->n_queries + 1, sizeof(*s.bounds));
    s.parts = malloc((size_t)(j->col_first + 1) * sizeof(*s.parts));
    if (s.best == NULL || s.bounds == NULL || s.parts == NULL)
        st = log_nomem("the best hits");
    else
        st = search_all(&s);
    j->n_top_levels = 0;
    for (int64_t query = 0; s.best != NULL && query < j->n_queries; query++)
        free(s.best[query].at);
    free(s.best);
    free(s.bounds);
    free(s.parts);
    free(s.slot.pairs);
    return st == ST_ESTOPPED ? ST_OK : st; /* nothing counts any more */
}
