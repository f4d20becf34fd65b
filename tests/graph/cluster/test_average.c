/*
 * test_average.c - average linkage: exact means, and pairs without an identity as 0.
 */
#include "tests/support/unit_test.h"

#include <math.h>
#include <stdio.h>

#include "graph/cluster/cluster_methods.h"
#include "io/base/logmsg.h"
#include "tests/graph/cluster/graph_case.h"
#include "tests/support/captured_log.h"

static cluster_join_t joins[16]; /* of the last clustering */

/* Cluster as a caller does: components of the pairs that reach the cutoff, then all
 * pairs. */
static void label_with(int n_threads, int64_t n, const edge_t *edges, int64_t n_edges,
                       fraction_t id, int32_t *label)
{
    components_t *components = NULL;
    average_t *average = NULL;
    pool_t *pool = NULL;

    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(components_create(n, &components), ST_OK);
    for (int64_t e = 0; e < n_edges; e++)
        if (average_reaches(&id, edges[e].matches, edges[e].columns))
            components_join(components, pool, &edges[e], 1);
    components_label(components, label);
    assert_int_equal(average_create(n, &id, label, &average), ST_OK);
    average_add(average, edges, n_edges);
    average_cluster(average, pool, label, n <= 16 ? joins : NULL);
    average_destroy(average);
    components_destroy(components);
    pool_destroy(pool);
}

/* 0 and 1 merge at 99; then the mean with 2 is (98 + 96) / 2 = 97. */
static void a_mean_equal_to_the_cutoff_reaches_it(void **state)
{
    const edge_t edges[] = {{0, 1, 99, 100}, {0, 2, 98, 100}, {1, 2, 96, 100}};
    int32_t label[3];

    (void)state;
    label_with(1, 3, edges, 3, (fraction_t){97, 100}, label);
    assert_labels(label, 3, "0 0 0");
    label_with(1, 3, edges, 3, (fraction_t){970001, 1000000}, label);
    assert_labels(label, 3, "0 0 2");
}

static void joins_have_the_mean_distance(void **state)
{
    const edge_t edges[] = {{0, 1, 99, 100}, {0, 2, 98, 100}, {1, 2, 96, 100}};
    int32_t label[3];

    (void)state;
    label_with(1, 3, edges, 3, (fraction_t){97, 100}, label);
    assert_int_equal(joins[0].a, -1);
    assert_int_equal(joins[1].a, 0);
    assert_int_equal(joins[1].b, 1);
    assert_true(fabs(joins[1].distance - 0.01) < 1e-9);
    assert_int_equal(joins[2].a, 0);
    assert_int_equal(joins[2].b, 2);
    assert_true(fabs(joins[2].distance - 0.03) < 1e-9);
}

/* 1/3 and 2/3 are not multiples of 2^-32, but their mean reaches 1/2. */
static void a_mean_of_rounded_identities_reaches_the_cutoff_too(void **state)
{
    const edge_t edges[] = {{0, 1, 3, 3}, {0, 2, 2, 3}, {1, 2, 1, 3}};
    int32_t label[3];

    (void)state;
    label_with(1, 3, edges, 3, (fraction_t){1, 2}, label);
    assert_labels(label, 3, "0 0 0");
}

/* The mean of 100 % and a missing identity is 50 %. */
static void a_pair_without_an_identity_counts_as_zero(void **state)
{
    const edge_t edges[] = {{0, 1, 10, 10}, {1, 2, 9, 9}};
    int32_t label[3];

    (void)state;
    label_with(1, 3, edges, 2, (fraction_t){1, 2}, label);
    assert_labels(label, 3, "0 0 0");
    label_with(1, 3, edges, 2, (fraction_t){51, 100}, label);
    assert_labels(label, 3, "0 0 2"); /* the first of two equal pairs */
}

/* {0,1} and 2 have (60 + 90) / 2 = 75; {0,1,2} and 3 have (60 + 60 + 90) / 3 = 70. */
static void a_mean_is_over_all_pairs_of_members(void **state)
{
    const edge_t edges[] = {{0, 1, 99, 100}, {0, 2, 60, 100}, {1, 2, 90, 100},
                            {0, 3, 60, 100}, {1, 3, 60, 100}, {2, 3, 90, 100}};
    int32_t label[4];

    (void)state;
    label_with(1, 4, edges, 6, (fraction_t){70, 100}, label);
    assert_labels(label, 4, "0 0 2 2"); /* 2 and 3, at 90, come before 75 */
    label_with(1, 4, edges, 6, (fraction_t){675, 1000}, label);
    assert_labels(label, 4, "0 0 0 0"); /* (60 + 90 + 60 + 60) / 4 = 67.5 */
}

enum { CUTOFF_PERCENT = 55 };

/* 10, 11, 12 and 13 divide 8580, so multiples of 1 / 8580 are exact. */
static linkage_t mean(const graph_case_t *g, const int32_t *label, int32_t x, int32_t y)
{
    linkage_t sum = {0, 0};

    for (int64_t i = 0; i < g->n; i++)
        for (int64_t j = 0; j < g->n; j++)
            if (label[i] == x && label[j] == y) {
                const edge_t *e = g->between[i][j];

                sum.numerator += e != NULL ? e->matches * (8580 / e->columns) : 0;
                sum.denominator += 8580;
            }
    return sum.numerator * 100 >= sum.denominator * CUTOFF_PERCENT ? sum
                                                                   : (linkage_t){-1, 1};
}

static void random_graphs_cluster_like_a_naive_version_with_any_threads(void **state)
{
    rng_t rng = rng_seed(1);
    int32_t want[CASE_NODES_MAX], got[CASE_NODES_MAX], four[CASE_NODES_MAX];
    int64_t n_clusters = 0, n_nodes = 0;

    (void)state;
    for (int round = 0; round < 150; round++) {
        graph_case_t *g = graph_case_random(&rng, (int64_t)rng_below(&rng, 30),
                                            40 + rng_below(&rng, 61));

        graph_case_merge(g, mean, want);
        label_with(1, g->n, g->edges, g->n_edges, (fraction_t){CUTOFF_PERCENT, 100}, got);
        label_with(4, g->n, g->edges, g->n_edges, (fraction_t){CUTOFF_PERCENT, 100},
                   four);
        assert_same_labels(got, want, g->n);
        assert_same_labels(four, want, g->n);
        for (int64_t i = 0; i < g->n; i++)
            n_clusters += want[i] == i;
        n_nodes += g->n;
        free(g);
    }
    assert_in_range(n_clusters, n_nodes / 10,
                    n_nodes * 9 / 10); /* the test is not trivial */
}

static void a_component_beyond_the_limit_is_refused(void **state)
{
    enum { N = AVERAGE_COMPONENT_MAX + 1 };
    int32_t *label = calloc(N, sizeof(*label));
    average_t *average = NULL;
    fraction_t id = {97, 100};
    status_t st;

    (void)state;
    assert_non_null(label);
    capture_start();
    st = average_create(N, &id, label, &average);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_null(average);
    assert_logged_one_line();
    assert_logged("65537 sequences are connected");
    free(label);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_have_the_mean_distance),
        cmocka_unit_test(a_mean_equal_to_the_cutoff_reaches_it),
        cmocka_unit_test(a_mean_of_rounded_identities_reaches_the_cutoff_too),
        cmocka_unit_test(a_pair_without_an_identity_counts_as_zero),
        cmocka_unit_test(a_mean_is_over_all_pairs_of_members),
        cmocka_unit_test(random_graphs_cluster_like_a_naive_version_with_any_threads),
        cmocka_unit_test(a_component_beyond_the_limit_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
