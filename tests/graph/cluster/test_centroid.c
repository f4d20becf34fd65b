/*
 * test_centroid.c - greedy clustering around centroids equals a naive loop.
 */
#include "tests/support/unit_test.h"

#include <stdio.h>

#include "graph/cluster/cluster_methods.h"
#include "io/graphfile/csr_build.h"
#include "kernels/graph/common/graph_backend.h"
#include "tests/graph/cluster/graph_case.h"
#include "tests/support/made_graph.h"

static void label_edges(int64_t n, const edge_t *edges, int64_t n_edges,
                        const int32_t *order, int32_t *label)
{
    adjacency_t *g = NULL;

    assert_int_equal(adjacency_create(n, edges, n_edges, &g), ST_OK);
    assert_int_equal(centroid_cluster(g, order, label), ST_OK);
    adjacency_destroy(g);
}

/* 2 is close to 0 and 1, which are not close to each other; 3 is close only to 2, which
 * is not a centroid. */
static void a_sequence_joins_its_best_centroid_but_no_other_member(void **state)
{
    const edge_t edges[] = {{0, 2, 97, 100}, {1, 2, 99, 100}, {2, 3, 99, 100}};
    const int32_t order[] = {0, 1, 2, 3};
    int32_t label[4];

    (void)state;
    label_edges(4, edges, 3, order, label);
    assert_labels(label, 4, "0 1 1 3");
}

static void the_order_decides_which_sequences_are_centroids(void **state)
{
    const edge_t edges[] = {{0, 2, 97, 100}, {1, 2, 99, 100}, {2, 3, 99, 100}};
    const int32_t order[] = {2, 0, 1, 3};
    int32_t label[4];

    (void)state;
    label_edges(4, edges, 3, order, label);
    assert_labels(label, 4, "2 2 2 2");
}

/* 98/100 and 49/50 are equal; the first in the order is not the lowest index. */
static void of_equal_centroids_the_first_is_joined(void **state)
{
    const edge_t edges[] = {{0, 2, 98, 100}, {1, 2, 49, 50}};
    const int32_t order[] = {1, 0, 2};
    int32_t label[3];

    (void)state;
    label_edges(3, edges, 2, order, label);
    assert_labels(label, 3, "0 1 1");
}

static void order_is_by_key_then_second_key_then_index(void **state)
{
    const int64_t key[] = {5, 7, 5, 7, 5}, second[] = {1, 1, 2, 2, 2};
    int32_t order[5];

    (void)state;
    assert_int_equal(centroid_order(5, key, second, order), ST_OK);
    assert_labels(order, 5, "3 1 2 4 0");
    assert_int_equal(centroid_order(5, key, NULL, order), ST_OK);
    assert_labels(order, 5, "1 3 0 2 4");
    assert_int_equal(centroid_order(5, NULL, NULL, order), ST_OK);
    assert_labels(order, 5, "0 1 2 3 4");
}

/* The definition: compare each sequence with a list of the centroids so far. */
static void naive(const graph_case_t *g, const int32_t *order, int32_t *label)
{
    int32_t centroids[CASE_NODES_MAX];
    int n_centroids = 0;

    for (int64_t r = 0; r < g->n; r++) {
        const edge_t *best = NULL;
        int32_t joined = order[r];

        for (int c = 0; c < n_centroids; c++) {
            const edge_t *e = g->between[order[r]][centroids[c]];

            if (e != NULL && (best == NULL ||
                              e->matches * best->columns > best->matches * e->columns)) {
                best = e;
                joined = centroids[c];
            }
        }
        if (best == NULL)
            centroids[n_centroids++] = order[r];
        label[order[r]] = joined;
    }
}

static void random_graphs_full_of_ties_cluster_like_a_naive_loop(void **state)
{
    rng_t rng = rng_seed(1);
    int32_t want[CASE_NODES_MAX], got[CASE_NODES_MAX], order[CASE_NODES_MAX];
    int64_t size[CASE_NODES_MAX];

    (void)state;
    for (int round = 0; round < 300; round++) {
        graph_case_t *g =
            graph_case_random(&rng, (int64_t)rng_below(&rng, 60), rng_below(&rng, 60));

        for (int64_t i = 0; i < g->n; i++)
            size[i] = (int64_t)rng_below(&rng, 4);
        assert_int_equal(centroid_order(g->n, size, NULL, order), ST_OK);
        naive(g, order, want);
        label_edges(g->n, g->edges, g->n_edges, order, got);
        assert_same_labels(got, want, g->n);
        free(g);
    }
}

/* Centroids are the sequences without a centroid before them. */
static void centroids_are_the_greedy_independent_set_of_the_graph(void **state)
{
    rng_t rng = rng_seed(1);

    (void)state;
    for (int round = 0; round < 100; round++) {
        graph_case_t *c = graph_case_random(&rng, 1 + (int64_t)rng_below(&rng, 60), 10);
        const csr_options_t build = {.symmetrize = true};
        graph_edges_t edges;
        int64_t abundance[CASE_NODES_MAX];
        int32_t order[CASE_NODES_MAX], label[CASE_NODES_MAX];
        const device_t device = device_cpu();
        const graph_run_t run = {0};
        const graph_spec_t spec = {.algorithm = GRAPH_MIS,
                                   .order = GRAPH_BY_WEIGHT,
                                   .priority = abundance};
        csr_t g;
        const graph_context_t context = {&device, NULL, &g, &spec, &run};
        graph_result_t set;

        assert_int_equal(graph_edges_create(1, false, false, &edges), ST_OK);
        edges.n_declared = c->n;
        for (int64_t e = 0; e < c->n_edges; e++)
            assert_int_equal(graph_edges_add(&edges, c->edges[e].a, c->edges[e].b),
                             ST_OK);
        assert_int_equal(csr_build(&edges, &build, NULL, &g), ST_OK);
        for (int64_t i = 0; i < c->n; i++)
            abundance[i] = (int64_t)rng_below(&rng, 5);
        assert_int_equal(centroid_order(c->n, abundance, NULL, order), ST_OK);
        label_edges(c->n, c->edges, c->n_edges, order, label);
        assert_int_equal(made_graph_compute(&cpu_graph_backend, &context,
                                            &(graph_task_t){NULL, 0, 0}, &set),
                         ST_OK);
        for (int64_t i = 0; i < c->n; i++)
            assert_int_equal(((uint8_t *)set.column[0])[i], label[i] == i);
        graph_result_free(&set);
        csr_free(&g);
        graph_edges_free(&edges);
        free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sequence_joins_its_best_centroid_but_no_other_member),
        cmocka_unit_test(the_order_decides_which_sequences_are_centroids),
        cmocka_unit_test(of_equal_centroids_the_first_is_joined),
        cmocka_unit_test(order_is_by_key_then_second_key_then_index),
        cmocka_unit_test(random_graphs_full_of_ties_cluster_like_a_naive_loop),
        cmocka_unit_test(centroids_are_the_greedy_independent_set_of_the_graph),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
