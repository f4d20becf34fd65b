/*
 * test_complete.c - complete linkage: missing edges prevent merges, ties follow the rule.
 */
#include "tests/support/unit_test.h"

#include <math.h>
#include <stdio.h>

#include "graph/cluster/cluster_methods.h"
#include "tests/graph/cluster/graph_case.h"

static void label_edges(int64_t n, const edge_t *edges, int64_t n_edges, int32_t *label)
{
    adjacency_t *g = NULL;

    assert_int_equal(adjacency_create(n, edges, n_edges, &g), ST_OK);
    assert_int_equal(complete_cluster(g, label, NULL), ST_OK);
    adjacency_destroy(g);
}

static void a_triangle_is_one_cluster_and_a_path_is_not(void **state)
{
    const edge_t edges[] = {{0, 1, 98, 100}, {1, 2, 99, 100}, {0, 2, 97, 100}};
    int32_t label[3];

    (void)state;
    label_edges(3, edges, 3, label);
    assert_labels(label, 3, "0 0 0");
    label_edges(3, edges, 2,
                label); /* 0 and 2 are not close: 1 merges with the closer one */
    assert_labels(label, 3, "0 1 1");
}

/* 0-1 and 2-3 merge first, at 99; of the four edges between them 1-2 is missing. */
static void one_missing_edge_keeps_two_clusters_apart(void **state)
{
    edge_t edges[] = {{0, 1, 99, 100}, {2, 3, 99, 100}, {0, 2, 98, 100},
                      {0, 3, 98, 100}, {1, 3, 98, 100}, {1, 2, 97, 100}};
    int32_t label[4];

    (void)state;
    label_edges(4, edges, 5, label);
    assert_labels(label, 4, "0 0 2 2");
    label_edges(4, edges, 6, label);
    assert_labels(label, 4, "0 0 0 0");
}

/* 0 and 1 join at 1 %, then 2 at the worse of 2 and 5 %; 3 stays alone. */
static void joins_have_the_distance_of_the_worst_pair(void **state)
{
    const edge_t edges[] = {{0, 1, 99, 100}, {0, 2, 98, 100}, {1, 2, 95, 100}};
    cluster_join_t joins[4];
    int32_t label[4];
    adjacency_t *g = NULL;

    (void)state;
    assert_int_equal(adjacency_create(4, edges, 3, &g), ST_OK);
    assert_int_equal(complete_cluster(g, label, joins), ST_OK);
    adjacency_destroy(g);
    assert_labels(label, 4, "0 0 0 3");
    assert_int_equal(joins[0].a, -1);
    assert_int_equal(joins[1].a, 0);
    assert_int_equal(joins[1].b, 1);
    assert_true(fabs(joins[1].distance - 0.01) < 1e-12);
    assert_int_equal(joins[2].a, 0);
    assert_int_equal(joins[2].b, 2);
    assert_true(fabs(joins[2].distance - 0.05) < 1e-12);
    assert_int_equal(joins[3].a, -1);
}

/* 0 and 1 merge; {0,1}-2 is then 95, and 2-3 with 96 is better. */
static void the_worst_edge_between_clusters_counts(void **state)
{
    const edge_t edges[] = {{0, 1, 99, 100},
                            {0, 2, 98, 100},
                            {1, 2, 95, 100},
                            {2, 3, 96, 100}};
    int32_t label[4];

    (void)state;
    label_edges(4, edges, 4, label);
    assert_labels(label, 4, "0 0 2 2");
}

/* 98/100 and 49/50 are equal. */
static void of_equal_pairs_the_one_with_the_lowest_numbers_merges(void **state)
{
    const edge_t first[] = {{2, 3, 49, 50}, {1, 2, 98, 100}};
    const edge_t second[] = {{0, 3, 98, 100}, {0, 2, 49, 50}};
    int32_t label[4];

    (void)state;
    label_edges(4, first, 2, label);
    assert_labels(label, 4, "0 1 1 3");
    label_edges(4, second, 2, label);
    assert_labels(label, 4, "0 1 0 3");
}

static linkage_t worst_edge(const graph_case_t *g, const int32_t *label, int32_t x,
                            int32_t y)
{
    linkage_t worst = {1, 1};

    for (int64_t i = 0; i < g->n; i++)
        for (int64_t j = 0; j < g->n; j++) {
            const edge_t *e = g->between[i][j];

            if (label[i] != x || label[j] != y)
                continue;
            if (e == NULL)
                return (linkage_t){-1, 1};
            if (e->matches * worst.denominator < worst.numerator * e->columns)
                worst = (linkage_t){e->matches, e->columns};
        }
    return worst;
}

static void random_graphs_full_of_ties_cluster_like_a_naive_version(void **state)
{
    rng_t rng = rng_seed(1);
    int32_t want[CASE_NODES_MAX], got[CASE_NODES_MAX];

    (void)state;
    for (int round = 0; round < 150; round++) {
        graph_case_t *g = graph_case_random(&rng, (int64_t)rng_below(&rng, 30),
                                            20 + rng_below(&rng, 81));

        graph_case_merge(g, worst_edge, want);
        label_edges(g->n, g->edges, g->n_edges, got);
        assert_same_labels(got, want, g->n);
        free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_is_one_cluster_and_a_path_is_not),
        cmocka_unit_test(one_missing_edge_keeps_two_clusters_apart),
        cmocka_unit_test(joins_have_the_distance_of_the_worst_pair),
        cmocka_unit_test(the_worst_edge_between_clusters_counts),
        cmocka_unit_test(of_equal_pairs_the_one_with_the_lowest_numbers_merges),
        cmocka_unit_test(random_graphs_full_of_ties_cluster_like_a_naive_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
