/*
 * test_components.c - connected components for any order of edges and number of threads.
 */
#include "tests/support/unit_test.h"

#include <stdio.h>

#include "graph/cluster/cluster_methods.h"
#include "io/base/clock.h"
#include "tests/graph/cluster/graph_case.h"

static void label_with(int n_threads, int64_t n, const edge_t *edges, int64_t n_edges,
                       int64_t portion, int32_t *label)
{
    components_t *c = NULL;
    pool_t *pool = NULL;

    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(components_create(n, &c), ST_OK);
    for (int64_t e = 0; e < n_edges; e += portion)
        components_join(c, pool, edges + e,
                        n_edges - e < portion ? n_edges - e : portion);
    components_label(c, label);
    components_destroy(c);
    pool_destroy(pool);
}

static void a_path_is_one_component_for_any_order_of_edges(void **state)
{
    const edge_t edges[] = {{4, 5, 1, 1}, {1, 3, 1, 1}, {5, 3, 1, 1}};
    int32_t label[7];

    (void)state;
    label_with(2, 7, edges, 3, 1, label);
    assert_labels(label, 7, "0 1 2 1 1 1 6");
}

static void without_edges_every_node_is_a_component(void **state)
{
    int32_t label[3];

    (void)state;
    label_with(2, 3, NULL, 0, 1, label);
    assert_labels(label, 3, "0 1 2");
    label_with(1, 0, NULL, 0, 1, label);
}

/* Propagate the lowest label along edges until nothing changes. */
static void search(const graph_case_t *g, int32_t *label)
{
    bool changed = true;

    for (int64_t i = 0; i < g->n; i++)
        label[i] = (int32_t)i;
    while (changed) {
        changed = false;
        for (int64_t e = 0; e < g->n_edges; e++) {
            int32_t a = label[g->edges[e].a], b = label[g->edges[e].b];

            changed |= a != b;
            label[g->edges[e].a] = label[g->edges[e].b] = a < b ? a : b;
        }
    }
}

static void components_equal_those_of_a_search(void **state)
{
    rng_t rng = rng_seed(1);
    int32_t want[CASE_NODES_MAX], got[CASE_NODES_MAX];

    (void)state;
    for (int round = 0; round < 200; round++) {
        graph_case_t *g =
            graph_case_random(&rng, (int64_t)rng_below(&rng, 50), rng_below(&rng, 8));

        search(g, want);
        label_with(1 + round % 2 * 3, g->n, g->edges, g->n_edges, 1 + round, got);
        assert_same_labels(got, want, g->n);
        free(g);
    }
}

/* 200,000 nodes in groups of 100, with 5 million edges within groups. */
static void one_and_four_threads_agree_on_millions_of_edges(void **state)
{
    enum { N = 200000, N_EDGES = 5000000, GROUPS = 2000 };
    edge_t *edges = malloc(N_EDGES * sizeof(*edges));
    int32_t *one = malloc(N * sizeof(*one)), *four = malloc(N * sizeof(*four));
    rng_t rng = rng_seed(1);
    int64_t n_components = 0;
    double start, middle;

    (void)state;
    assert_true(edges != NULL && one != NULL && four != NULL);
    for (int64_t e = 0; e < N_EDGES; e++) {
        int32_t group = (int32_t)rng_below(&rng, GROUPS);
        int32_t a = (int32_t)rng_below(&rng, N / GROUPS), b;

        do
            b = (int32_t)rng_below(&rng, N / GROUPS);
        while (b == a);
        edges[e] = (edge_t){group + GROUPS * a, group + GROUPS * b, 1, 1};
    }
    start = clock_now_s();
    label_with(1, N, edges, N_EDGES, N_EDGES, one);
    middle = clock_now_s();
    label_with(4, N, edges, N_EDGES, N_EDGES, four);
    printf("components: %d nodes, %d edges: %.3f s by 1 thread, %.3f s by 4\n", N,
           N_EDGES, middle - start, clock_now_s() - middle);
    assert_memory_equal(one, four, N * sizeof(*one));
    for (int64_t i = 0; i < N; i++) {
        n_components += one[i] == i;
        assert_int_equal(one[i], i % GROUPS); /* 2,500 edges connect all of 100 nodes */
    }
    assert_int_equal(n_components, GROUPS);
    free(four);
    free(one);
    free(edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_one_component_for_any_order_of_edges),
        cmocka_unit_test(without_edges_every_node_is_a_component),
        cmocka_unit_test(components_equal_those_of_a_search),
        cmocka_unit_test(one_and_four_threads_agree_on_millions_of_edges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
