/*
 * test_csr_build.c - graphs built from lists of edges.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/graphfile/csr_build.h"
#include "tests/support/captured_log.h"

static const csr_options_t as_given = {0};

typedef struct {
    int64_t source, target;
    int32_t weight;
} edge_t;

static graph_edges_t list_of(const edge_t *edges, int n, bool is_directed)
{
    graph_edges_t list;

    assert_int_equal(graph_edges_create(1, true, false, &list), ST_OK);
    for (int i = 0; i < n; i++) {
        assert_int_equal(graph_edges_add(&list, edges[i].source, edges[i].target), ST_OK);
        list.weight[list.n - 1] = edges[i].weight;
    }
    list.is_directed = is_directed;
    return list;
}

static csr_t build(const edge_t *edges, int n, bool is_directed, csr_options_t options)
{
    graph_edges_t list = list_of(edges, n, is_directed);
    csr_t g;

    assert_int_equal(csr_build(&list, &options, NULL, &g), ST_OK);
    graph_edges_free(&list);
    return g;
}

static void assert_graph(csr_t *g, int64_t n_nodes, const int64_t *ids,
                         const int64_t *first, const int32_t *to, const int32_t *weight)
{
    assert_int_equal(g->n_nodes, n_nodes);
    assert_int_equal(g->n_arcs, first[n_nodes]);
    assert_memory_equal(g->id, ids, (size_t)n_nodes * sizeof(*ids));
    assert_memory_equal(g->first, first, ((size_t)n_nodes + 1) * sizeof(*first));
    assert_memory_equal(g->to, to, (size_t)g->n_arcs * sizeof(*to));
    assert_memory_equal(g->weight, weight, (size_t)g->n_arcs * sizeof(*weight));
    csr_free(g);
}

static const edge_t directed[] = {{7, 3, 1}, {3, 5, 2}, {7, 3, 0}, {5, 5, 9}, {3, 7, 4}};

static void nodes_are_numbered_by_id_and_rows_are_sorted(void **state)
{
    csr_t g = build(directed, 5, true, as_given);

    (void)state;
    assert_false(g.is_symmetric);
    assert_graph(&g, 3, (int64_t[]){3, 5, 7}, (int64_t[]){0, 2, 3, 5},
                 (int32_t[]){1, 2, 1, 0, 0}, (int32_t[]){2, 4, 9, 1, 0});
}

static void of_repeated_arcs_the_smallest_weight_stays(void **state)
{
    csr_t g = build(directed, 5, true, (csr_options_t){.dedupe = true});

    (void)state;
    assert_graph(&g, 3, (int64_t[]){3, 5, 7}, (int64_t[]){0, 2, 3, 4},
                 (int32_t[]){1, 2, 1, 0}, (int32_t[]){2, 4, 9, 0});
}

static void loops_are_dropped_but_their_nodes_stay(void **state)
{
    csr_t g = build((edge_t[]){{4, 4, 1}, {2, 9, 3}}, 2, true,
                    (csr_options_t){.drop_loops = true});

    (void)state;
    assert_graph(&g, 3, (int64_t[]){2, 4, 9}, (int64_t[]){0, 1, 1, 1}, (int32_t[]){2},
                 (int32_t[]){3});
}

static void symmetrizing_keeps_one_arc_in_each_direction(void **state)
{
    csr_t g = build(directed, 5, true, (csr_options_t){.symmetrize = true});

    (void)state;
    assert_true(g.is_symmetric);
    assert_graph(&g, 3, (int64_t[]){3, 5, 7}, (int64_t[]){0, 2, 4, 5},
                 (int32_t[]){1, 2, 0, 1, 0}, (int32_t[]){2, 0, 2, 9, 0});
}

static void an_undirected_edge_is_two_arcs_and_a_loop_is_one(void **state)
{
    csr_t g = build((edge_t[]){{1, 0, 6}, {1, 1, 7}, {0, 1, 8}}, 3, false, as_given);

    (void)state;
    assert_true(g.is_symmetric);
    assert_graph(&g, 2, (int64_t[]){0, 1}, (int64_t[]){0, 2, 5},
                 (int32_t[]){1, 1, 0, 0, 1}, (int32_t[]){6, 8, 6, 8, 7});
}

static void a_directed_list_with_both_directions_is_symmetric(void **state)
{
    csr_t g = build((edge_t[]){{0, 1, 6}, {1, 0, 6}}, 2, true, as_given);

    (void)state;
    assert_true(g.is_symmetric);
    csr_free(&g);
    g = build((edge_t[]){{0, 1, 6}, {1, 0, 7}}, 2, true, as_given);
    assert_false(g.is_symmetric);
    csr_free(&g);
}

static void declared_nodes_exist_without_edges(void **state)
{
    graph_edges_t list = list_of((edge_t[]){{2, 4, 1}}, 1, true);
    csr_t g;

    (void)state;
    list.first_id = 1;
    list.n_declared = 5;
    assert_int_equal(csr_build(&list, &as_given, NULL, &g), ST_OK);
    assert_graph(&g, 5, (int64_t[]){1, 2, 3, 4, 5}, (int64_t[]){0, 0, 1, 1, 1, 1},
                 (int32_t[]){3}, (int32_t[]){1});
    graph_edges_free(&list);
}

static void ids_too_sparse_for_a_bitmap_are_numbered_alike(void **state)
{
    csr_t g = build((edge_t[]){{INT64_MAX, 0, 1}, {INT64_C(1) << 40, INT64_MAX, 2}}, 2,
                    true, as_given);

    (void)state;
    assert_graph(&g, 3, (int64_t[]){0, INT64_C(1) << 40, INT64_MAX},
                 (int64_t[]){0, 0, 1, 2}, (int32_t[]){2, 0}, (int32_t[]){2, 1});
}

/* Memory of 2^62 bytes is on no machine. */
static void more_edges_than_memory_are_refused(void **state)
{
    graph_edges_t list;

    (void)state;
    capture_start();
    assert_int_equal(graph_edges_create(INT64_C(1) << 58, false, false, &list),
                     ST_ENOMEM);
    capture_stop();
    assert_logged_one_line();
    assert_logged("memory for a graph of 288230376151711744 edges: 10 EiB");
}

static void no_edges_make_an_empty_graph(void **state)
{
    csr_t g = build(NULL, 0, true, as_given);

    (void)state;
    assert_true(g.is_symmetric);
    assert_graph(&g, 0, NULL, (int64_t[]){0}, NULL, NULL);
}

static void values_stay_with_their_arcs(void **state)
{
    graph_edges_t list = list_of((edge_t[]){{1, 2, 3}, {0, 2, 4}, {0, 1, 5}}, 3, true);
    csr_t g;

    (void)state;
    assert_int_equal(graph_edges_use_values(&list), ST_OK);
    assert_int_equal(csr_build(&list, &as_given, NULL, &g), ST_OK);
    assert_null(g.weight);
    assert_true(g.value[0] == 5 && g.value[1] == 4 && g.value[2] == 3);
    csr_free(&g);
    assert_int_equal(csr_build(&list, &(csr_options_t){.weights = CSR_WEIGHTS_UNIT}, NULL,
                               &g),
                     ST_OK);
    assert_null(g.value);
    csr_free(&g);
    graph_edges_free(&list);
}

static void uniform_weights_are_equal_in_both_directions_and_in_range(void **state)
{
    csr_options_t options = {.weights = CSR_WEIGHTS_UNIFORM,
                             .low = 1,
                             .high = 255,
                             .seed = 42};
    int seen[256] = {0};

    (void)state;
    for (int64_t id = 0; id < 20000; id++) {
        int32_t weight = csr_build_weight(&options, id, 7);

        assert_int_equal(csr_build_weight(&options, 7, id), weight);
        assert_in_range(weight, 1, 255);
        seen[weight]++;
    }
    for (int weight = 1; weight <= 255; weight++) /* 78 expected */
        assert_in_range(seen[weight], 30, 140);
    options.high = 1;
    assert_int_equal(csr_build_weight(&options, 3, 4), 1);
    options = (csr_options_t){.weights = CSR_WEIGHTS_UNIFORM,
                              .low = 0,
                              .high = INT32_MAX,
                              .seed = 1};
    assert_in_range(csr_build_weight(&options, 3, 4), 0, INT32_MAX);
}

/* Long rows and short ones, several buckets and chunks. */
static graph_edges_t many_edges(int64_t n)
{
    graph_edges_t list;
    rng_t rng = rng_seed(1);

    assert_int_equal(graph_edges_create(n, true, false, &list), ST_OK);
    for (int64_t i = 0; i < n; i++) {
        int64_t high = INT64_C(1) << rng_below(&rng, 15);

        assert_int_equal(graph_edges_add(&list, (int64_t)rng_below(&rng, (uint64_t)high),
                                         (int64_t)rng_below(&rng, 20000)),
                         ST_OK);
        list.weight[i] = (int32_t)i;
    }
    list.is_directed = true;
    return list;
}

static void assert_equal(csr_t *a, csr_t *b)
{
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_arcs, b->n_arcs);
    assert_memory_equal(a->first, b->first, ((size_t)a->n_nodes + 1) * sizeof(*a->first));
    assert_memory_equal(a->to, b->to, (size_t)a->n_arcs * sizeof(*a->to));
    assert_memory_equal(a->weight, b->weight, (size_t)a->n_arcs * sizeof(*a->weight));
    csr_free(a);
    csr_free(b);
}

static void threads_do_not_change_the_graph(void **state)
{
    graph_edges_t list = many_edges(100000);
    pool_t *pool;

    (void)state;
    assert_int_equal(pool_create(3, &pool), ST_OK);
    for (int o = 0; o < 8; o++) {
        csr_options_t options = {.symmetrize = o & 1,
                                 .dedupe = o & 2,
                                 .drop_loops = o & 4};
        csr_t one, three;

        assert_int_equal(csr_build(&list, &options, NULL, &one), ST_OK);
        assert_int_equal(csr_build(&list, &options, pool, &three), ST_OK);
        assert_equal(&one, &three);
    }
    pool_destroy(pool);
    graph_edges_free(&list);
}

static int compare_edges(const void *a, const void *b)
{
    const edge_t *x = a, *y = b;

    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* Weights ascend in the list, so a sort by source, target and weight is stable. */
static void the_graph_is_the_sorted_list(void **state)
{
    graph_edges_t list = many_edges(80000);
    edge_t *sorted = malloc((size_t)list.n * sizeof(*sorted));
    csr_t g;

    (void)state;
    for (int64_t i = 0; i < list.n; i++)
        sorted[i] = (edge_t){list.source[i], list.target[i], list.weight[i]};
    qsort(sorted, (size_t)list.n, sizeof(*sorted), compare_edges);
    assert_int_equal(csr_build(&list, &as_given, NULL, &g), ST_OK);
    assert_int_equal(g.n_arcs, list.n);
    for (int64_t u = 0; u < g.n_nodes; u++) {
        for (int64_t a = g.first[u]; a < g.first[u + 1]; a++) {
            assert_int_equal(g.id[u], sorted[a].source);
            assert_int_equal(g.id[g.to[a]], sorted[a].target);
            assert_int_equal(g.weight[a], sorted[a].weight);
        }
    }
    csr_free(&g);
    graph_edges_free(&list);
    free(sorted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_numbered_by_id_and_rows_are_sorted),
        cmocka_unit_test(of_repeated_arcs_the_smallest_weight_stays),
        cmocka_unit_test(loops_are_dropped_but_their_nodes_stay),
        cmocka_unit_test(symmetrizing_keeps_one_arc_in_each_direction),
        cmocka_unit_test(an_undirected_edge_is_two_arcs_and_a_loop_is_one),
        cmocka_unit_test(a_directed_list_with_both_directions_is_symmetric),
        cmocka_unit_test(declared_nodes_exist_without_edges),
        cmocka_unit_test(ids_too_sparse_for_a_bitmap_are_numbered_alike),
        cmocka_unit_test(more_edges_than_memory_are_refused),
        cmocka_unit_test(no_edges_make_an_empty_graph),
        cmocka_unit_test(values_stay_with_their_arcs),
        cmocka_unit_test(uniform_weights_are_equal_in_both_directions_and_in_range),
        cmocka_unit_test(threads_do_not_change_the_graph),
        cmocka_unit_test(the_graph_is_the_sorted_list),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
