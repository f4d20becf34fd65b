/*
 * job_align_bounds.c - for --top N: lower bounds on the N-th best hit of each query, so
 * that a filter can rule out worse pairs.
 *
 * Let b be the worst identity among hits of a query with N different references.  A hit
 * below b is worse than these N, so whatever else is found it is neither one of the N
 * best nor ties with the last of them.  A filter that requires b of the query's pairs
 * thus does not change the result, if it passes every hit that reaches b.  It does: such
 * a hit is the alignment of one strand of the query, that strand's row requires b, and
 * filters are lossless for alignments that reach the required identity (see
 * job_align_spec.c).  The pair's other strand is then aligned, too (job_align_pairs.c),
 * so that the better one is chosen as ever.  With --id a hit has to reach that identity
 * as well; b does, because only such hits are searched.
 *
 * Any N hits give a bound, and good hits give a good bound.  So the search goes through
 * identities downwards.  At each level, the queries without a bound are filtered against
 * all references, the pairs that pass are aligned, and a query with N hits at or above
 * the level gets the N-th best as its bound.  If the search was not cut short, all hits
 * that reach the level have been seen, so this is the N-th best of all.  The search ends
 * where the filter is no longer of use, or after too many alignments; queries that are
 * left have no bound.
 *
 * Every worker finds the bounds by itself, from all queries and references, so that none
 * waits for another.
 */
#include "worker/align/job_align_bounds.h"

#include "io/base/logmsg.h"
#include "worker/align/job_align_memory.h"
#include "worker/align/job_align_pairs.h"
#include "worker/align/job_align_results.h"

#include <inttypes.h>
#include <stdlib.h>

/* The search aligns at most 1 / ALIGNED_DIVISOR of all pairs.  A level may pass a larger
 * fraction, because it concerns only queries without a bound, and all their pairs have to
 * be aligned if none is found. */
enum { ALIGNED_DIVISOR = 8, PASSED_DIVISOR = 4 };

/* Pairs filtered per launch, and their rows. */
enum { RECT_PAIRS = 1 << 25, RECT_ROWS = 1024, COLS_STEP = 256 };

static const fraction_t levels[] = {{1, 1},    {99, 100}, {97, 100}, {95, 100},
                                    {93, 100}, {92, 100}, {91, 100}, {90, 100}};
enum { N_LEVELS = sizeof(levels) / sizeof(levels[0]) };

typedef struct {
    int32_t matches, columns;
} value_t;

/* A query's best values at a level.  When 2 N are there, the worse half is dropped. */
typedef struct {
    value_t *at;
    int64_t n, capacity;
} best_t;

typedef struct {
    job_align_t *job;
    best_t *best;           /* [n_queries] */
    fraction_t *bounds;     /* [n_queries] denominator 0: none yet */
    fraction_t *identities; /* [n_queries x strands] that the filter's rows require */
    job_align_slot_t slot;
    int64_t first_pair[2]; /* the slot's */
    int64_t n_bounds, n_aligned, n_aligned_max;
    bool is_over; /* n_aligned_max is exceeded */
} search_t;

bool job_align_bounds_are_useful(const job_align_t *j)
{
    return j->opts->against != NULL && j->opts->top > 0 &&
           !align_ends_limit_overlap(j->spec.filter.ends) &&
           j->opts->top <= j->n_references / ALIGNED_DIVISOR;
}

/* @return whether a > b; 0/0 counts as 0 */
static bool is_above(fraction_t a, fraction_t b)
{
    return b.denominator == 0 ||
           a.numerator * b.denominator > b.numerator * a.denominator;
}

status_t job_align_bounds_prepare(job_align_t *j, const device_t *device,
                                  filter_shape_t shape, fraction_t *identity)
{
    const fraction_t *id = &j->opts->min_identity;
    align_context_t context = {device, j->base.pool, j->set, &j->spec.filter, j->run};
    fraction_t down[N_LEVELS + 1];
    int n = 0, n_above, n_useful;
    status_t st;

    while (n < N_LEVELS && is_above(levels[n], *id)) {
        down[n] = levels[n];
        n++;
    }
    n_above = n;
    if (id->denominator != 0)
        down[n++] = *identity;
    st = pair_filter_reach(&context, shape, down, n, (fraction_t){1, PASSED_DIVISOR},
                           &n_useful);
    if (st != ST_OK)
        return st;
    j->n_bound_levels = n_useful < n_above ? n_useful : n_above;
    if (n_useful > 0) /* k-mers that suit the lowest level suit all well enough */
        *identity = down[n_useful - 1];
    return ST_OK;
}

static int by_value(const void *a, const void *b)
{
    const value_t *x = a, *y = b;
    const pairs_hit_t p = {.matches = x->matches, .columns = x->columns};
    const pairs_hit_t q = {.matches = y->matches, .columns = y->columns};

    return pairs_order_compare(PAIRS_BY_IDENTITY, &q, &p);
}

static void sort_best(best_t *b)
{
    qsort(b->at, (size_t)b->n, sizeof(*b->at), by_value);
}

static status_t add_hit(search_t *s, const pairs_hit_t *hit)
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

/* Align n of the slot's pairs from `first` on, and add the hits that reach a level. */
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
    if (align_cancelled(&j->base.cancel))
        return ST_ESTOPPED;
    if ((st = job_align_identity_collect(j, &some, &results, &values)) != ST_OK)
        return st;
    for (int64_t at = 0; at < n && st == ST_OK; at += j->n_strands) {
        pairs_hit_t hit;

        job_align_hits_at(j, &some, &results, &values, at, &hit);
        if (fraction_reached(level, hit.matches, hit.columns))
            st = add_hit(s, &hit);
    }
    return st;
}

/* Align all pairs of a rectangle that may reach a level. */
static status_t search_rect(search_t *s, tile_t rect, const fraction_t *level)
{
    job_align_t *j = s->job;
    int64_t max_pairs = job_align_batch_pairs(j);
    status_t st = job_align_pairs_of_rect(j, rect, &s->slot);

    for (int64_t first = 0, n; st == ST_OK && first < s->slot.batch.n; first += n) {
        n = s->slot.batch.n - first < max_pairs ? s->slot.batch.n - first : max_pairs;
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

/* Search rows row0 .. row1-1 against all references. */
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

/* Set the identities that the rows of both strands require.
 * @param bounded  of queries with a bound; NULL: the bound itself @param other  of the
 *                 others */
static status_t require(search_t *s, const fraction_t *bounded, fraction_t other)
{
    const job_align_t *j = s->job;

    for (int64_t row = 0; row < j->col_first; row++) {
        int64_t query = row % j->n_queries;

        s->identities[row] = !has_bound(s, query) ? other
                             : bounded != NULL    ? *bounded
                                                  : s->bounds[query];
    }
    return pair_filter_set_identities(j->filter, s->identities);
}

/* Queries with N hits get a bound; the others' hits will be found again. */
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

static status_t search_level(search_t *s, const fraction_t *level)
{
    int64_t n = s->job->n_queries;
    status_t st = require(s, &pair_filter_every, *level);

    for (int64_t row = 0; st == ST_OK && !s->is_over && row < n; row += RECT_ROWS)
        st = search_rows(s, row, row + RECT_ROWS < n ? row + RECT_ROWS : n, level);
    if (st == ST_OK)
        take_bounds(s);
    return st;
}

static status_t search_all(search_t *s)
{
    job_align_t *j = s->job;
    const fraction_t *id = &j->opts->min_identity;
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < j->n_bound_levels && !s->is_over &&
                    s->n_bounds < j->n_queries;
         k++)
        st = search_level(s, &levels[k]);
    if (st != ST_OK)
        return st;
    log_verbose("the best hits: %" PRId64 " of %" PRId64 " queries have a bound, by "
                "%" PRId64 " alignments",
                s->n_bounds, j->n_queries, s->n_aligned);
    if (s->n_bounds > 0 || id->numerator > 0)
        return require(s, NULL, id->numerator > 0 ? *id : pair_filter_none);
    pair_filter_destroy(j->filter);
    j->filter = NULL;
    return ST_OK;
}

status_t job_align_bounds_find(job_align_t *j)
{
    search_t s = {.job = j,
                  .n_aligned_max = j->col_first * (j->n_references / ALIGNED_DIVISOR)};
    status_t st;

    if (j->n_bound_levels == 0)
        return ST_OK;
    s.slot.first_pair = s.first_pair;
    s.best = calloc((size_t)j->n_queries + 1, sizeof(*s.best));
    s.bounds = calloc((size_t)j->n_queries + 1, sizeof(*s.bounds));
    s.identities = malloc((size_t)(j->col_first + 1) * sizeof(*s.identities));
    if (s.best == NULL || s.bounds == NULL || s.identities == NULL)
        st = log_nomem("the best hits");
    else
        st = search_all(&s);
    j->n_bound_levels = 0;
    for (int64_t query = 0; s.best != NULL && query < j->n_queries; query++)
        free(s.best[query].at);
    free(s.best);
    free(s.bounds);
    free(s.identities);
    free(s.slot.pairs);
    return st == ST_ESTOPPED ? ST_OK : st; /* a cancelled job has no results */
}
