/*
 * test_serial_backend.c - the definition of every result, on graphs worked by hand.
 */
#include "tests/support/unit_test.h"

#include "kernels/graph/common/graph_backend.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"

#include <float.h>
#include <math.h>

static csr_t graph;
static graph_spec_t spec;
static graph_result_t result;
static int64_t sample;

/* Compute spec on a graph made from text; the source is an original id. */
static void compute(const char *edges, bool is_directed, int64_t source)
{
    const device_t device = device_cpu();
    const graph_run_t run = {0};
    const graph_context_t context = {&device, NULL, &graph, &spec, &run};
    int32_t node;

    graph = made_graph_of(edges, is_directed);
    node = csr_find(&graph, source);
    assert_int_equal(graph_check(spec.algorithm, &graph, NULL, NULL), ST_OK);
    assert_int_equal(made_graph_compute(&serial_graph_backend, &context,
                                        &(graph_task_t){&node, node >= 0, sample},
                                        &result),
                     ST_OK);
}

static int release(void **state)
{
    (void)state;
    csr_free(&graph);
    graph_result_free(&result);
    return 0;
}

#define ASSERT_COLUMN(type, index, ...)                                            \
    do {                                                                           \
        const type want_[] = {__VA_ARGS__};                                        \
        assert_int_equal(graph.n_nodes, sizeof(want_) / sizeof(want_[0]));         \
        for (size_t i_ = 0; i_ < sizeof(want_) / sizeof(want_[0]); i_++)           \
            assert_int_equal(((const type *)result.column[index])[i_], want_[i_]); \
    } while (0)

static void assert_reals(const double *want)
{
    for (int64_t u = 0; u < graph.n_nodes; u++)
        if (fabs(((double *)result.column[0])[u] - want[u]) > 1e-12)
            fail_msg("node %d: %.17g, not %.17g", (int)u, ((double *)result.column[0])[u],
                     want[u]);
}

static void the_parent_is_the_smallest_neighbor_one_level_above(void **state)
{
    (void)state;
    spec = made_graph_spec(GRAPH_BFS);
    /* 4 is found first from 5, which comes first in no level's order of ids */
    compute("9-5 9-2 5-4 2-4 4-3 7-8", false, 9); /* nodes 2 3 4 5 7 8 9 */
    ASSERT_COLUMN(int32_t, 0, 1, 3, 2, 1, -1, -1, 0);
    ASSERT_COLUMN(int32_t, 1, 6, 2, 0, 6, -1, -1, 6);
    assert_int_equal(result.n_iterations, 4);
}

static void a_directed_search_follows_arcs_one_way(void **state)
{
    (void)state;
    spec = made_graph_spec(GRAPH_BFS);
    compute("1-2 3-2 2-2 2-4", true, 1);
    ASSERT_COLUMN(int32_t, 0, 0, 1, -1, 2);
    ASSERT_COLUMN(int32_t, 1, 0, 0, -1, 1);
}

static void the_shortest_path_may_have_more_arcs(void **state)
{
    (void)state;
    spec = made_graph_spec(GRAPH_SSSP);
    compute("1-2:9 1-3:2 3-2:3 2-4:0 5-6:1", false, 1);
    ASSERT_COLUMN(int64_t, 0, 0, 5, 2, 5, -1, -1);
    release(NULL);
    compute("1-2:2147483647 2-3:2147483647 3-4:2147483647", true, 1);
    ASSERT_COLUMN(int64_t, 0, 0, 2147483647, 4294967294, 6442450941);
    release(NULL);
    compute("1-2 2-3", true, 1); /* without weights an arc counts 1 */
    ASSERT_COLUMN(int64_t, 0, 0, 1, 2);
}

/* Give the edges of the graph made from text the values "of" their whole weights. */
static void use_values(const double *of)
{
    graph.value = malloc((size_t)graph.n_arcs * sizeof(*graph.value));
    for (int64_t a = 0; a < graph.n_arcs; a++)
        graph.value[a] = of[graph.weight[a]];
    free(graph.weight);
    graph.weight = NULL;
}

/* Compute spec from the smallest node of the graph as it is. */
static void compute_again(void)
{
    const device_t device = device_cpu();
    const graph_run_t run = {0};
    const graph_context_t context = {&device, NULL, &graph, &spec, &run};
    const int32_t node = 0;

    assert_int_equal(graph_check(spec.algorithm, &graph, NULL, NULL), ST_OK);
    assert_int_equal(made_graph_compute(&serial_graph_backend, &context,
                                        &(graph_task_t){&node, 1, 0}, &result),
                     ST_OK);
}

static void real_weights_are_added_from_the_source_on(void **state)
{
    /* 2^53 + 1 is 2^53, so that (2^53 + 1) + 1 is less than (1 + 1) + 2^53 */
    const double of[] = {0, 1, 0x1p53, 0.5, 0x1p53 + 2};
    const double from_left[] = {0, 0x1p53, 0x1p53, 0x1p53, -1, -1},
                 from_right[] = {0, 1, 2, 0x1p53 + 2}, shorter[] = {0, 1.5, 1, 1};

    (void)state;
    spec = made_graph_spec(GRAPH_SSSP);
    graph = made_graph_of("1-2:2 2-3:1 3-4:1 5-6:3", true);
    use_values(of);
    compute_again();
    assert_reals(from_left);
    release(NULL);
    graph = made_graph_of("1-2:1 2-3:1 3-4:2", true);
    use_values(of);
    compute_again();
    assert_reals(from_right);
    release(NULL);
    graph = made_graph_of("1-2:2 1-3:1 3-2:3 3-4:0", false);
    use_values(of);
    compute_again();
    assert_reals(shorter);
}

static void ranks_of_a_cycle_are_equal_and_a_sink_collects(void **state)
{
    /* 2 nodes, 1 -> 2: r1 = a + b r2, r2 = r1 + d r1 with a = (1 - d) / 2 and the rank of
     * 2, which dangles, spread: b = d / 2.  d = 1/2: r1 = 1/4 + r2 / 4,
     * r2 = 1/4 + r2 / 4 + r1 / 2, and so r1 = 2/5, r2 = 3/5 */
    const double third[] = {1. / 3, 1. / 3, 1. / 3}, spread[] = {0.4, 0.6};
    const double leak[] = {0.25, 0.375};

    (void)state;
    spec = made_graph_spec(GRAPH_PAGERANK);
    compute("1-2 2-3 3-1", true, 0);
    assert_reals(third);
    assert_int_equal(result.n_iterations, 1);
    release(NULL);
    spec.damping = 0.5;
    spec.tolerance = 1e-14;
    compute("1-2", true, 0);
    assert_reals(spread);
    release(NULL);
    spec.dangling = GRAPH_DANGLING_LEAK;
    compute("1-2", true, 0);
    assert_reals(leak);
    release(NULL);
    spec.max_iterations = 3;
    spec.tolerance = 0;
    compute("1-2", true, 0);
    assert_int_equal(result.n_iterations, 3);
}

static void betweenness_counts_the_paths_through_a_node(void **state)
{
    /* From 1 in a square 1 2 4 3 with a tail 4 5: two paths to 4 and to 5. */
    const double from_one[] = {0, 1, 1, 1, 0};

    (void)state;
    spec = made_graph_spec(GRAPH_BETWEENNESS);
    compute("1-2 1-3 2-4 3-4 4-5", false, 1);
    assert_reals(from_one);
    release(NULL);
    compute("1-2 1-3 2-4 3-4 4-5", true, 1);
    assert_reals(from_one);
}

static void too_many_paths_are_refused(void **state)
{
    const device_t device = device_cpu();
    const graph_run_t run = {0};
    const graph_context_t context = {&device, NULL, &graph, &spec, &run};
    const int32_t source = 0;
    char text[40000] = "";
    size_t len = 0;

    (void)state;
    spec = made_graph_spec(GRAPH_BETWEENNESS);
    for (int i = 0; i < 1000; i++) /* 2^1000 paths: diamonds in a row */
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "%d-%d %d-%d %d-%d %d-%d ", 3 * i, 3 * i + 1, 3 * i,
                                3 * i + 2, 3 * i + 1, 3 * i + 3, 3 * i + 2, 3 * i + 3);
    graph = made_graph_of(text, true);
    capture_start();
    assert_int_equal(made_graph_compute(&serial_graph_backend, &context,
                                        &(graph_task_t){&source, 1, 0}, &result),
                     ST_EINPUT);
    capture_stop();
    assert_logged("shortest paths lead from node 0");
    assert_logged_one_line();
}

static void a_product_weighs_the_vector_by_arcs(void **state)
{
    const double x[] = {1, 10, 100}, weighted[] = {320, 0, 4}, unit[] = {110, 0, 1};

    (void)state;
    spec = made_graph_spec(GRAPH_SPMV);
    spec.x = x;
    compute("1-2:2 1-3:3 3-1:4", true, 0);
    assert_reals(weighted);
    release(NULL);
    compute("1-2 1-3 3-1", true, 0);
    assert_reals(unit);
}

static void components_ignore_the_direction_of_arcs(void **state)
{
    (void)state;
    spec = made_graph_spec(GRAPH_COMPONENTS);
    compute("5-3 5-8 1-9 4-4", true, 0); /* nodes 1 3 4 5 8 9 */
    ASSERT_COLUMN(int32_t, 0, 0, 1, 2, 1, 1, 0);
}

static void ties_of_weight_go_by_source_and_target(void **state)
{
    (void)state;
    spec = made_graph_spec(GRAPH_MST);
    /* arcs: 1-2 1-3 1-4 2-1 2-3 3-1 3-2 4-1; the cycle 1 2 3 loses 2 - 3 */
    compute("1-2:5 2-3:5 1-3:5 1-4:7", false, 0);
    assert_int_equal(result.n_arcs, 3);
    for (int64_t k = 0; k < 3; k++)
        assert_int_equal(result.arcs[k], k);
    release(NULL);
    compute("1-2:5 2-3:1 1-3:5 8-9:4", false, 0); /* 1-2 1-3 2-1 2-3 3-1 3-2 8-9 9-8 */
    assert_int_equal(result.n_arcs, 3);
    assert_int_equal(result.arcs[0], 0);
    assert_int_equal(result.arcs[1], 3);
    assert_int_equal(result.arcs[2], 6);
}

static void the_independent_set_is_greedy_by_the_order(void **state)
{
    const int64_t priority[] = {1, 9, 9, 5, -3};

    (void)state;
    spec = made_graph_spec(GRAPH_MIS);
    compute("1-2 2-3 3-4 4-5", false, 0);
    ASSERT_COLUMN(uint8_t, 0, 1, 0, 1, 0, 1);
    release(NULL);
    spec.order = GRAPH_BY_WEIGHT;
    spec.priority = priority;
    compute("1-2 2-3 3-4 4-5", false, 0); /* 2 before 3, then 4 before 5 */
    ASSERT_COLUMN(uint8_t, 0, 0, 1, 0, 1, 0);
    release(NULL);
    spec.order = GRAPH_BY_DEGREE;
    compute("1-2 1-3 1-4", false, 0);
    ASSERT_COLUMN(uint8_t, 0, 0, 1, 1, 1);
}

static void nodes_of_large_degree_are_colored_first(void **state)
{
    (void)state;
    spec = made_graph_spec(GRAPH_COLORING);
    /* degrees: 1: 1, 2: 3, 3: 2, 4: 2; order 2 3 4 1 */
    compute("1-2 2-3 2-4 3-4", false, 0);
    ASSERT_COLUMN(int32_t, 0, 1, 0, 1, 2);
}

static void a_triangle_counts_at_its_three_nodes(void **state)
{
    (void)state;
    spec = made_graph_spec(GRAPH_TRIANGLES);
    compute("1-2 2-3 1-3 3-4 2-4 4-5", false, 0);
    ASSERT_COLUMN(int64_t, 0, 1, 2, 2, 1, 0);
}

static void a_tree_counts_what_is_below_its_nodes(void **state)
{
    const char *const two_trees = "1>2 1>3 3>4 3>5 5>6 7>8";

    (void)state;
    spec = made_graph_spec(GRAPH_DESCENDANTS);
    compute(two_trees, true, 0);
    ASSERT_COLUMN(int32_t, 0, 5, 0, 3, 0, 1, 0, 1, 0);
    ASSERT_COLUMN(int32_t, 1, 3, 1, 2, 1, 1, 1, 1, 1);
    release(NULL);
    spec = made_graph_spec(GRAPH_HEIGHTS);
    compute(two_trees, true, 0);
    ASSERT_COLUMN(int32_t, 0, 3, 0, 2, 0, 1, 0, 1, 0);
}

static void counts_of_leaves_add_up_in_every_clade(void **state)
{
    /* sample 1: leaf 2 has 5, leaf 4 has 2^40, leaf 8 has 3; sample 2: leaf 6 has 1 */
    int64_t first[] = {0, 3, 4}, count[] = {5, INT64_C(1) << 40, 3, 1};
    int32_t node[] = {1, 3, 7, 5};
    const int64_t want[2][8] = {{(INT64_C(1) << 40) + 5, 5, INT64_C(1) << 40,
                                 INT64_C(1) << 40, 0, 0, 3, 3},
                                {1, 0, 1, 0, 1, 1, 0, 0}};
    const leaf_counts_t leaves = {
        .n_samples = 2, .first = first, .n = 4, .node = node, .count = count};

    (void)state;
    spec = made_graph_spec(GRAPH_DESCENDANTS);
    spec.leaves = &leaves;
    for (sample = 1; sample <= 2; sample++) {
        compute("1>2 1>3 3>4 3>5 5>6 7>8", true, 0);
        assert_memory_equal(result.count, want[sample - 1], sizeof(want[0]));
        release(NULL);
    }
    sample = 0;
}

static void assert_refused(graph_algorithm_t algorithm, const char *message)
{
    capture_start();
    assert_int_equal(graph_check(algorithm, &graph, NULL, "g.txt"), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(message);
    capture_start();
    assert_int_equal(graph_check(algorithm, &graph, NULL, NULL), ST_EINPUT);
    capture_stop();
    assert_logged_nothing();
}

static void graphs_that_an_algorithm_is_not_defined_for_are_refused(void **state)
{
    static const char *const unfit =
        "is too large, because sums of such weights may have "
        "no finite value; scale the weights, or give "
        "--weights unit";
    double value[2] = {1, DBL_MAX / 4};

    (void)state;
    graph = made_graph_of("1-2 2-3", true);
    assert_refused(GRAPH_MST, "g.txt is directed, but mst is for undirected graphs; give "
                              "--symmetrize");
    assert_int_equal(graph_check(GRAPH_SSSP, &graph, NULL, NULL), ST_OK);
    graph.value = value;
    assert_int_equal(graph_check(GRAPH_SSSP, &graph, NULL, NULL), ST_OK);
    value[1] = DBL_MAX / 2; /* the sum of two may be infinite */
    assert_refused(GRAPH_SSSP, unfit);
    value[1] = -1e-300;
    assert_refused(GRAPH_SSSP, unfit);
    value[1] = NAN;
    assert_refused(GRAPH_SSSP, unfit);
    graph.value = NULL;
    assert_int_equal(graph_check(GRAPH_HEIGHTS, &graph, NULL, NULL), ST_OK);
    release(NULL);
    graph = made_graph_of("1-2 2-3", false);
    assert_refused(GRAPH_HEIGHTS, "g.txt: node 2 has two parents");
}

#define TEST(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_parent_is_the_smallest_neighbor_one_level_above),
        TEST(a_directed_search_follows_arcs_one_way),
        TEST(the_shortest_path_may_have_more_arcs),
        TEST(real_weights_are_added_from_the_source_on),
        TEST(ranks_of_a_cycle_are_equal_and_a_sink_collects),
        TEST(betweenness_counts_the_paths_through_a_node),
        TEST(too_many_paths_are_refused),
        TEST(a_product_weighs_the_vector_by_arcs),
        TEST(components_ignore_the_direction_of_arcs),
        TEST(ties_of_weight_go_by_source_and_target),
        TEST(the_independent_set_is_greedy_by_the_order),
        TEST(nodes_of_large_degree_are_colored_first),
        TEST(a_triangle_counts_at_its_three_nodes),
        TEST(a_tree_counts_what_is_below_its_nodes),
        TEST(counts_of_leaves_add_up_in_every_clade),
        TEST(graphs_that_an_algorithm_is_not_defined_for_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
