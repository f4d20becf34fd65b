/*
 * test_search_centroids.c - tests that the hits with centroids are those of greedy
 * clustering on all hits.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/seq/seqset.h"
#include "io/store/tile.h"
#include "kernels/align/search/search_state.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/random_set.h"

#include <stdlib.h>
#include <string.h>

/* Enough for three levels; STEP and N have no common divisor. */
enum { N = 560, STEP = 211, SIDE = 64, N_BLOCKS = (N + SIDE - 1) / SIDE };

static seqset_t *set;
static align_spec_t spec;
static int32_t order[N];
static int cancel;

static int start(void **state)
{
    const random_set_opts_t opts = {.n = N,
                                    .len_min = 60,
                                    .len_max = 90,
                                    .ambiguous_percent = 10};
    rng_t rng = rng_seed(7);

    for (int32_t i = 0; i < N; i++)
        order[i] = (int32_t)(i * STEP % N);
    spec = random_set_spec(0);
    return pool_fixture_start(state) == 0 && random_set_create(&rng, &opts, &set) == ST_OK
               ? 0
               : -1;
}

static int stop(void **state)
{
    seqset_destroy(set);
    return pool_fixture_stop(state);
}

static search_t *make_search(bool filters, fraction_t min_identity, bool has_centroids)
{
    const search_context_t context = {.device = &cpu,
                                      .pool = pool,
                                      .run = {.cancel = &cancel},
                                      .set = set,
                                      .n_queries = N,
                                      .n_strands = 1,
                                      .spec = &spec,
                                      .filter = filters ? &spec : NULL,
                                      .min_identity = min_identity,
                                      .centroid_order = has_centroids ? order : NULL,
                                      .aligner = {.kernel = "auto"}};
    search_t *s = NULL;

    assert_int_equal(search_create(&context, &s), ST_OK);
    return s;
}

/* Which pairs row < column are hits. */
typedef struct {
    bool is_hit[N][N];
    int64_t n_pairs;
    int n, n_batches;
} hits_t;

static void collect(search_t *s, const search_batch_t *b, hits_t *out)
{
    search_values_t values;
    pair_results_t r;

    assert_int_equal(search_submit(s, b), ST_OK);
    assert_int_equal(search_wait(s, &r), ST_OK);
    assert_int_equal(search_values(s, &b->batch, &r, &values), ST_OK);
    for (int k = 0; k < b->n_tiles; k++) {
        const tile_t *t = &b->tiles[k];

        for (int64_t at = b->first_pair[k]; at < b->first_pair[k + 1]; at++) {
            pairs_hit_t hit;

            search_pick(s, &b->batch, &r, &values, at, &hit);
            assert_true(hit.row >= t->row0 && hit.row < t->row1 && hit.col >= t->col0 &&
                        hit.col < t->col1 && hit.row < hit.col);
            if (!search_keeps(s, &hit))
                continue;
            out->is_hit[hit.row][hit.col] = true;
            out->n++;
        }
        out->n_pairs += b->first_pair[k + 1] - b->first_pair[k];
        for (int stage = 0; stage < SEARCH_STAGES; stage++)
            out->n_pairs += b->dropped[k].n[stage];
    }
}

static void search_tiles(search_t *s, int64_t max_pairs, hits_t *out)
{
    const search_limits_t limits = {max_pairs, N_BLOCKS};
    const tile_grid_t grid = tile_grid_of(N, SIDE);
    tile_t tiles[N_BLOCKS * N_BLOCKS];
    search_batch_t batch = {0};

    memset(out, 0, sizeof(*out));
    for (int k = 0; k < grid.n_tiles; k++)
        tiles[k] = tile_at(&grid, k);
    for (int first = 0; first < grid.n_tiles; first += batch.n_tiles) {
        assert_int_equal(search_list(s, tiles + first, (int)grid.n_tiles - first, limits,
                                     true, &batch),
                         ST_OK);
        assert_true(batch.n_tiles == 1 || batch.batch.n <= max_pairs);
        out->n_batches++;
        collect(s, &batch, out);
    }
    search_batch_free(&batch);
    assert_int_equal(out->n_pairs, N * (N - 1) / 2);
}

static bool are_close(const hits_t *all, int32_t a, int32_t b)
{
    return a < b ? all->is_hit[a][b] : all->is_hit[b][a];
}

/* Greedy clustering on all hits. @return the number of centroids */
static int cluster(const hits_t *all, hits_t *out)
{
    int32_t centroid[N];
    int n_centroids = 0;

    memset(out, 0, sizeof(*out));
    for (int i = 0; i < N; i++) {
        bool is_member = false;

        for (int k = 0; k < n_centroids; k++) {
            const int32_t a = order[i], b = centroid[k];

            if (!are_close(all, a, b))
                continue;
            is_member = true;
            out->is_hit[a < b ? a : b][a < b ? b : a] = true;
            out->n++;
        }
        if (!is_member)
            centroid[n_centroids++] = order[i];
    }
    return n_centroids;
}

static hits_t all, wanted, found;

static void the_hits_are_those_of_greedy_clustering(void **state)
{
    static const fraction_t mins[] = {{97, 100}, {7, 10}};

    (void)state;
    for (int k = 0; k < 2 * 2; k++) {
        search_t *plain, *s;

        spec.ends = k / 2 == 0 ? ENDS_FREE : ENDS_COUNT;
        plain = make_search(true, mins[k % 2], false);
        s = make_search(true, mins[k % 2], true);
        search_tiles(plain, INT64_MAX, &all);
        assert_in_range(cluster(&all, &wanted), 2, N - 1);
        assert_true(wanted.n > 0 && wanted.n < all.n);
        search_tiles(s, INT64_MAX, &found);
        assert_int_equal(found.n_batches, 1);
        assert_int_equal(found.n, wanted.n);
        assert_memory_equal(found.is_hit, wanted.is_hit, sizeof(found.is_hit));
        search_destroy(plain);
        search_destroy(s);
    }
}

static void without_filters_the_hits_are_the_same(void **state)
{
    search_t *s, *slow;

    (void)state;
    spec.ends = ENDS_FREE;
    s = make_search(true, (fraction_t){97, 100}, true);
    slow = make_search(false, (fraction_t){97, 100}, true);
    search_tiles(s, INT64_MAX, &wanted);
    search_tiles(slow, INT64_MAX, &found);
    assert_memory_equal(found.is_hit, wanted.is_hit, sizeof(found.is_hit));
    search_destroy(s);
    search_destroy(slow);
}

static void a_batch_ends_where_its_pairs_exceed_the_limit(void **state)
{
    search_t *s;

    (void)state;
    spec.ends = ENDS_FREE;
    s = make_search(true, (fraction_t){8, 10}, true);
    search_tiles(s, INT64_MAX, &wanted);
    for (int64_t max_pairs = 1; max_pairs <= 100; max_pairs *= 10) {
        search_tiles(s, max_pairs, &found);
        assert_true(found.n_batches > 1);
        assert_memory_equal(found.is_hit, wanted.is_hit, sizeof(found.is_hit));
    }
    search_destroy(s);
}

static void a_cancelled_search_lists_no_pair_and_may_go_on(void **state)
{
    const tile_t tile = {0, SIDE, 0, SIDE};
    const search_limits_t limits = {INT64_MAX, 1};
    search_batch_t batch = {0};
    search_t *s;

    (void)state;
    spec.ends = ENDS_FREE;
    s = make_search(true, (fraction_t){8, 10}, true);
    cancel = 1;
    assert_int_equal(search_list(s, &tile, 1, limits, true, &batch), ST_OK);
    assert_int_equal(batch.batch.n, 0);
    search_batch_free(&batch);
    cancel = 0;
    search_tiles(s, INT64_MAX, &found);
    search_destroy(s);
    s = make_search(true, (fraction_t){8, 10}, true);
    search_tiles(s, INT64_MAX, &wanted);
    assert_true(wanted.n > 0);
    assert_memory_equal(found.is_hit, wanted.is_hit, sizeof(found.is_hit));
    search_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hits_are_those_of_greedy_clustering),
        cmocka_unit_test(without_filters_the_hits_are_the_same),
        cmocka_unit_test(a_batch_ends_where_its_pairs_exceed_the_limit),
        cmocka_unit_test(a_cancelled_search_lists_no_pair_and_may_go_on),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
