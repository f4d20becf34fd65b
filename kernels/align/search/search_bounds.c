/*
 * search_bounds.c - for the best N hits: lower bounds on the N-th best hit of each query,
 * so that a filter can rule out worse pairs.
 *
 * Let b be the worst identity among hits of a query with N different targets.  A hit
 * below b is worse than these N, so whatever else is found it is neither one of the N
 * best nor ties with the last of them.  A filter that requires b of the query's pairs
 * thus does not change the result, if it passes every hit that reaches b.  It does: such
 * a hit is the alignment of one strand of the query, that strand's row requires b, and
 * filters are lossless for alignments that reach the required identity.  The pair's other
 * strand is then aligned, too (search_batch.c), so that the better one is chosen as ever.
 * With a minimum identity a hit has to reach that as well; b does, because only such hits
 * are searched.
 *
 * Any N hits give a bound, and good hits give a good bound.  So the search goes through
 * identities downwards.  At each level, the queries without a bound are filtered against
 * all targets, the pairs that pass are aligned, and a query with N hits at or above the
 * level gets the N-th best as its bound.  If the search was not cut short, all hits that
 * reach the level have been seen, so this is the N-th best of all.  The search ends where
 * the filter is no longer of use, or after too many alignments; queries that are left
 * have no bound.
 *
 * Every worker finds the bounds by itself, from all queries and targets, so that none
 * waits for another.
 */
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"

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
    search_t *search;
    fraction_t *bounds; /* [n_queries] denominator 0: none yet */
    fraction_t level;
    search_batch_t batch;
    int64_t max_pairs; /* aligned at a time */
    int64_t n_bounds, n_aligned, n_aligned_max;
    bool is_over; /* n_aligned_max is exceeded */
} bounds_t;

static int64_t n_targets(const search_context_t *c)
{
    return c->set->n - c->first_target;
}

bool search_bounds_are_useful(const search_context_t *c)
{
    return c->filter != NULL && c->n_best > 0 && search_has_row_identities(c) &&
           c->n_best <= n_targets(c) / ALIGNED_DIVISOR;
}

status_t search_bounds_prepare(search_t *s, filter_shape_t shape, fraction_t *identity)
{
    const align_context_t context = search_align_context(s, s->context.filter);
    fraction_t down[N_LEVELS + 1];
    int n = 0, n_above, n_useful;
    status_t st;

    while (n < N_LEVELS && search_is_below(s->min_identity, levels[n])) {
        down[n] = levels[n];
        n++;
    }
    n_above = n;
    if (s->context.min_identity.denominator != 0)
        down[n++] = *identity;
    st = pair_filter_reach(&context, shape, down, n, (fraction_t){1, PASSED_DIVISOR},
                           &n_useful);
    if (st != ST_OK)
        return st;
    s->n_bound_levels = n_useful < n_above ? n_useful : n_above;
    if (n_useful > 0) /* k-mers that suit the lowest level suit all well enough */
        *identity = down[n_useful - 1];
    return ST_OK;
}

/* Note the hits that reach the level. */
static status_t note(void *ctx, const pair_batch_t *batch, const pair_results_t *results,
                     const search_values_t *values)
{
    const bounds_t *b = ctx;
    search_t *s = b->search;

    for (int64_t at = 0; at < batch->n; at += s->context.n_strands) {
        pairs_hit_t hit;

        search_pick(s, batch, results, values, at, &hit);
        if (fraction_reached(&b->level, hit.matches, hit.columns))
            search_best_note(s->best, hit.row, &hit, 0);
    }
    return ST_OK;
}

/* Align all pairs of a rectangle that may reach the level. */
static status_t search_rect(bounds_t *b, tile_t rect)
{
    search_t *s = b->search;
    status_t st = search_batch_put_tile(s, rect, &b->batch);

    if (st == ST_OK)
        st = search_align(s, b->batch.pairs, b->batch.batch.n, b->max_pairs, note, b);
    b->n_aligned += b->batch.batch.n;
    b->is_over = b->n_aligned > b->n_aligned_max;
    return st;
}

static bool has_bound(const bounds_t *b, int64_t query)
{
    return b->bounds[query].denominator > 0;
}

/* Search rows row0 .. row1-1 against all targets. */
static status_t search_rows(bounds_t *b, int64_t row0, int64_t row1)
{
    const search_context_t *c = &b->search->context;
    int64_t cols;
    status_t st = ST_OK;

    while (row0 < row1 && has_bound(b, row0))
        row0++;
    while (row0 < row1 && has_bound(b, row1 - 1))
        row1--;
    if (row0 == row1)
        return ST_OK;
    cols = RECT_PAIRS / (row1 - row0) / COLS_STEP * COLS_STEP;
    for (int64_t col = c->first_target; st == ST_OK && !b->is_over && col < c->set->n;
         col += cols) {
        int64_t end = col + cols < c->set->n ? col + cols : c->set->n;

        st = search_rect(b, (tile_t){row0, row1, col, end});
    }
    return st;
}

/* Set the identities that the rows of both strands require.
 * @param bounded  of queries with a bound; NULL: the bound itself @param other  of the
 *                 others */
static status_t require(bounds_t *b, const fraction_t *bounded, fraction_t other)
{
    search_t *s = b->search;

    for (int64_t row = 0; row < s->context.first_target; row++) {
        int64_t query = row % s->context.n_queries;

        s->required[row] = !has_bound(b, query) ? other
                           : bounded != NULL    ? *bounded
                                                : b->bounds[query];
    }
    return pair_filter_set_identities(s->filter, s->required);
}

/* Queries with N hits get a bound; the others' hits will be found again. */
static void take_bounds(bounds_t *b)
{
    search_t *s = b->search;

    for (int64_t query = 0; query < s->context.n_queries; query++) {
        pairs_hit_t last;

        if (has_bound(b, query))
            continue;
        if (search_best_last(s->best, query, &last)) {
            b->bounds[query] = (fraction_t){last.matches, last.columns};
            b->n_bounds++;
        } else {
            search_best_forget(s->best, query);
        }
    }
}

static status_t search_level(bounds_t *b)
{
    int64_t n = b->search->context.n_queries;
    status_t st = require(b, &pair_filter_every, b->level);

    for (int64_t row = 0; st == ST_OK && !b->is_over && row < n; row += RECT_ROWS)
        st = search_rows(b, row, row + RECT_ROWS < n ? row + RECT_ROWS : n);
    if (st == ST_OK)
        take_bounds(b);
    return st;
}

static status_t search_all(bounds_t *b)
{
    search_t *s = b->search;
    int64_t n_queries = s->context.n_queries;
    status_t st = ST_OK;

    for (int k = 0;
         st == ST_OK && k < s->n_bound_levels && !b->is_over && b->n_bounds < n_queries;
         k++) {
        b->level = levels[k];
        st = search_level(b);
    }
    if (st != ST_OK)
        return st;
    log_verbose("the best hits: %" PRId64 " of %" PRId64 " queries have a bound, by "
                "%" PRId64 " alignments",
                b->n_bounds, n_queries, b->n_aligned);
    if (b->n_bounds > 0 || s->min_identity.numerator > 0)
        return require(b, NULL, s->min_identity);
    pair_filter_destroy(s->filter);
    s->filter = NULL;
    return ST_OK;
}

status_t search_bounds_find(search_t *s, int64_t max_pairs)
{
    const search_context_t *c = &s->context;
    bounds_t b = {.search = s,
                  .max_pairs = max_pairs,
                  .n_aligned_max = c->first_target * (n_targets(c) / ALIGNED_DIVISOR)};
    status_t st;

    if (s->n_bound_levels == 0)
        return ST_OK;
    b.bounds = calloc((size_t)c->n_queries + 1, sizeof(*b.bounds));
    s->required = malloc((size_t)(c->first_target + 1) * sizeof(*s->required));
    if (b.bounds == NULL || s->required == NULL)
        st = log_nomem("the best hits");
    else
        st = search_all(&b);
    s->n_bound_levels = 0;
    search_batch_free(&b.batch);
    free(b.bounds);
    free(s->required);
    s->required = NULL;
    return st == ST_ESTOPPED ? ST_OK : st; /* a cancelled run has no results */
}
