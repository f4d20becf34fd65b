/*
 * test_search_list.c - tests that tiles have the same hits with filters as without, in
 * batches of any size.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/seq/seqset.h"
#include "kernels/align/search/search_state.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/random_set.h"

#include <stdlib.h>
#include <string.h>

enum { N_QUERIES = 30, N_TARGETS = 70, SIDE = 10, TILES = 3 * 7, STRANDS = 2 };

static seqset_t *set;
static align_spec_t spec;

/* Queries, their reverse complements, and targets of the same families. */
static int start(void **state)
{
    const random_set_opts_t opts = {.n = N_TARGETS,
                                    .len_min = 150,
                                    .len_max = 200,
                                    .ambiguous_percent = 10};
    rng_t rng = rng_seed(5);
    seqset_builder_t builder = {0};
    seqset_t *targets = NULL, *queries = NULL;
    status_t st = pool_fixture_start(state) == 0 ? ST_OK : ST_ENOMEM;

    if (st == ST_OK)
        st = random_set_create(&rng, &opts, &targets);
    for (int64_t k = 0; st == ST_OK && k < N_QUERIES; k++) {
        const int64_t of = 2 * k % N_TARGETS;

        st = seqset_builder_add(&builder, "q", 1, seqset_letters(targets, of),
                                (size_t)seqset_len(targets, of) - 9);
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, &queries);
    if (st == ST_OK)
        st = seqset_join(queries, true, targets, &set);
    seqset_destroy(queries);
    seqset_destroy(targets);
    spec = random_set_spec(0);
    return st == ST_OK ? 0 : -1;
}

static int stop(void **state)
{
    seqset_destroy(set);
    return pool_fixture_stop(state);
}

static search_t *make_search(bool filters, fraction_t min_identity, int64_t n_best,
                             align_ends_t ends)
{
    search_context_t context = {.device = &cpu,
                                .pool = pool,
                                .set = set,
                                .n_queries = N_QUERIES,
                                .first_target = STRANDS * N_QUERIES,
                                .n_strands = STRANDS,
                                .spec = &spec,
                                .filter = filters ? &spec : NULL,
                                .min_identity = min_identity,
                                .n_best = n_best,
                                .order = PAIRS_BY_IDENTITY,
                                .aligner = {.kernel = "auto"}};
    search_t *s = NULL;

    spec.ends = ends;
    assert_int_equal(search_create(&context, &s), ST_OK);
    return s;
}

typedef struct {
    pairs_hit_t hit[N_QUERIES * N_TARGETS];
    int n, n_batches;
    int64_t n_aligned, n_dropped;
} found_t;

/* Keep the hits of a batch. */
static void collect(search_t *s, const search_batch_t *b, found_t *out)
{
    search_values_t values;
    pair_results_t r;

    assert_int_equal(search_submit(s, b), ST_OK);
    assert_int_equal(search_wait(s, &r), ST_OK);
    assert_int_equal(search_values(s, &b->batch, &r, &values), ST_OK);
    assert_int_equal(b->first_pair[b->n_tiles], b->batch.n);
    for (int64_t at = 0; at < b->batch.n; at += STRANDS) {
        pairs_hit_t hit;

        assert_int_equal(b->pairs[at + 1].query, b->pairs[at].query + N_QUERIES);
        assert_int_equal(b->pairs[at + 1].target, b->pairs[at].target);
        search_pick(s, &b->batch, &r, &values, at, &hit);
        if (search_keeps(s, &hit))
            out->hit[out->n++] = hit;
    }
    out->n_aligned += b->batch.n;
    for (int k = 0; k < b->n_tiles; k++)
        for (int stage = 0; stage < SEARCH_STAGES; stage++)
            out->n_dropped += b->dropped[k].n[stage];
}

/* Search all tiles, as many at a time as the limits allow. */
static void search_tiles(search_t *s, search_limits_t limits, found_t *out)
{
    search_batch_t batch = {0};
    tile_t tiles[TILES];

    memset(out, 0, sizeof(*out));
    for (int k = 0; k < TILES; k++) {
        const int64_t row = k / 7 * SIDE, col = STRANDS * N_QUERIES + k % 7 * SIDE;

        tiles[k] = (tile_t){row, row + SIDE, col, col + SIDE};
    }
    for (int first = 0; first < TILES; first += batch.n_tiles) {
        assert_int_equal(search_list(s, tiles + first, TILES - first, limits, true,
                                     &batch),
                         ST_OK);
        assert_in_range(batch.n_tiles, 1, TILES - first);
        if (batch.n_tiles > 1 && search_has_filter(s))
            assert_in_range(batch.batch.n, 0, limits.pairs);
        out->n_batches++;
        collect(s, &batch, out);
    }
    search_batch_free(&batch);
    assert_int_equal(out->n_aligned + out->n_dropped, STRANDS * N_QUERIES * N_TARGETS);
}

static int by_place(const void *a, const void *b)
{
    const pairs_hit_t *x = a, *y = b;

    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->col > y->col) - (x->col < y->col);
}

static void assert_same_hits(found_t *a, found_t *b)
{
    assert_int_equal(a->n, b->n);
    qsort(a->hit, (size_t)a->n, sizeof(*a->hit), by_place);
    qsort(b->hit, (size_t)b->n, sizeof(*b->hit), by_place);
    assert_memory_equal(a->hit, b->hit, (size_t)a->n * sizeof(*a->hit));
}

static const search_limits_t everything = {INT64_MAX, TILES};

static void filters_miss_no_hit(void **state)
{
    static const fraction_t mins[] = {{97, 100}, {9, 10}, {7, 10}};
    static found_t all, filtered;

    (void)state;
    for (int k = 0; k < 3 * 3; k++) {
        const align_ends_t ends = (align_ends_t)(k / 3);
        search_t *plain = make_search(false, mins[k % 3], 0, ends);
        search_t *s = make_search(true, mins[k % 3], 0, ends);

        assert_false(search_has_filter(plain));
        assert_true(search_has_filter(s));
        search_tiles(plain, everything, &all);
        search_tiles(s, everything, &filtered);
        assert_int_equal(all.n_dropped, 0);
        assert_true(all.n > 0 && filtered.n_dropped > 0);
        assert_same_hits(&all, &filtered);
        search_destroy(plain);
        search_destroy(s);
    }
}

/* With fewer pairs than one tile has, a batch is one tile. */
static void a_batch_ends_where_its_pairs_exceed_the_limit(void **state)
{
    static found_t whole, split;
    const search_limits_t limits[] = {{100, TILES}, {1, TILES}, {100, 1}, {20, 3}};
    search_t *s = make_search(true, (fraction_t){8, 10}, 0, ENDS_FREE);

    (void)state;
    search_tiles(s, everything, &whole);
    assert_int_equal(whole.n_batches, 1);
    for (int k = 0; k < 4; k++) {
        search_tiles(s, limits[k], &split);
        assert_true(split.n_batches > 1);
        assert_int_equal(split.n_aligned, whole.n_aligned);
        assert_same_hits(&whole, &split);
    }
    search_destroy(s);
}

/* @return the number of a query's hits that are at least as good as one */
static int n_as_good(const found_t *all, const pairs_hit_t *hit)
{
    int n = 0;

    for (int k = 0; k < all->n; k++)
        n += all->hit[k].row == hit->row &&
             pairs_order_compare(PAIRS_BY_IDENTITY, &all->hit[k], hit) > 0;
    return n;
}

static void bounds_leave_the_best_hits(void **state)
{
    static found_t all, best;
    search_t *plain = make_search(false, (fraction_t){0, 0}, 0, ENDS_COUNT);

    (void)state;
    search_tiles(plain, everything, &all);
    for (int64_t n_best = 1; n_best <= 5; n_best += 2) {
        search_t *s = make_search(true, (fraction_t){0, 0}, n_best, ENDS_COUNT);
        int n_wanted = 0, n_found = 0;

        search_tiles(s, everything, &best);
        assert_true(n_best > 1 || best.n_dropped > 0);
        for (int k = 0; k < all.n; k++)
            n_wanted += n_as_good(&all, &all.hit[k]) < n_best;
        for (int k = 0; k < best.n; k++)
            n_found += n_as_good(&all, &best.hit[k]) < n_best;
        assert_int_equal(n_found, n_wanted);
        search_destroy(s);
    }
    search_destroy(plain);
}

/* Hits of local alignments: a maximum E-value, the best N, or both. */
static search_t *make_local_search(const evalue_t *law, int64_t n_best)
{
    static align_spec_t local;
    search_context_t context = {.device = &cpu,
                                .pool = pool,
                                .set = set,
                                .n_queries = N_QUERIES,
                                .first_target = STRANDS * N_QUERIES,
                                .n_strands = STRANDS,
                                .spec = &local,
                                .law = law,
                                .max_evalue = 1e-9,
                                .n_best = n_best,
                                .order = PAIRS_BY_SCORE,
                                .aligner = {.kernel = "auto"}};
    search_t *s = NULL;

    local = spec;
    local.ends = ENDS_LOCAL;
    local.min_overlap = (fraction_t){0, 1};
    assert_int_equal(search_scores_first(&context), law != NULL || n_best > 0);
    assert_int_equal(search_create(&context, &s), ST_OK);
    assert_int_equal(search_has_filter(s), law != NULL || n_best > 0);
    return s;
}

/* @return whether a hit of all is one under a law, and among the best */
static bool is_wanted(const found_t *all, const evalue_t *law, int64_t n_best, int k)
{
    const pairs_hit_t *hit = &all->hit[k];
    int n_better = 0;

    for (int i = 0; n_best > 0 && i < all->n; i++)
        n_better += all->hit[i].row == hit->row &&
                    pairs_order_compare(PAIRS_BY_SCORE, &all->hit[i], hit) > 0;
    return hit->columns > 0 && (n_best == 0 || n_better < n_best) &&
           (law == NULL || evalue_of(law, hit->score, seqset_len(set, hit->row),
                                     seqset_len(set, hit->col)) <= 1e-9);
}

static void scores_leave_every_hit(void **state)
{
    static found_t all, some;
    const search_limits_t limits[] = {{INT64_MAX, TILES}, {INT64_MAX, 2}, {150, 1}};
    search_t *plain = make_local_search(NULL, 0);
    evalue_t blosum62, *laws[] = {NULL, &blosum62};

    (void)state;
    assert_true(evalue_find(0x97f6a92f83bb5b94, 12, 1, 1e4, &blosum62));
    search_tiles(plain, everything, &all);
    for (int k = 0; k < 2 * 3 * 3; k++) {
        const int64_t n_best = k % 3 * 2;
        const evalue_t *law = laws[k / 3 % 2];
        search_t *s;
        int n_wanted = 0, n_found = 0;

        if (law == NULL && n_best == 0)
            continue;
        s = make_local_search(law, n_best);
        search_tiles(s, limits[k / 6], &some);
        assert_true(some.n_dropped > 0 && (k >= 12) == (some.n_batches > 1));
        for (int i = 0; i < all.n; i++)
            n_wanted += is_wanted(&all, law, n_best, i);
        for (int i = 0; i < some.n; i++)
            for (int at = 0; at < all.n; at++)
                n_found += memcmp(&all.hit[at], &some.hit[i], sizeof(some.hit[i])) == 0 &&
                           is_wanted(&all, law, n_best, at);
        assert_true(n_wanted > 0 && n_wanted < all.n);
        assert_int_equal(n_found, n_wanted);
        search_destroy(s);
    }
    search_destroy(plain);
}

/* @param s  destroyed */
static void cancel_and_go_on(search_t *s)
{
    static found_t before, after;
    int cancel = 0;
    const tile_t tile = {0, SIDE, STRANDS * N_QUERIES, STRANDS * N_QUERIES + SIDE};
    const search_context_t context = s->context;
    search_batch_t batch = {0};

    search_destroy(s);
    {
        search_context_t cancellable = context;

        cancellable.run.cancel = &cancel;
        assert_int_equal(search_create(&cancellable, &s), ST_OK);
    }
    search_tiles(s, everything, &before);
    cancel = 1;
    assert_int_equal(search_list(s, &tile, 1, everything, true, &batch), ST_OK);
    assert_int_equal(batch.batch.n, 0);
    search_batch_free(&batch);
    cancel = 0;
    search_tiles(s, everything, &after);
    assert_same_hits(&before, &after);
    search_destroy(s);
}

static void a_cancelled_search_lists_no_pair_and_may_go_on(void **state)
{
    evalue_t law;

    (void)state;
    assert_true(evalue_find(0x97f6a92f83bb5b94, 12, 1, 1e4, &law));
    cancel_and_go_on(make_search(true, (fraction_t){8, 10}, 0, ENDS_FREE));
    cancel_and_go_on(make_local_search(&law, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_miss_no_hit),
        cmocka_unit_test(a_batch_ends_where_its_pairs_exceed_the_limit),
        cmocka_unit_test(bounds_leave_the_best_hits),
        cmocka_unit_test(scores_leave_every_hit),
        cmocka_unit_test(a_cancelled_search_lists_no_pair_and_may_go_on),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
