/*
 * test_graph_verify.c - right results pass, and each kind of wrong result is refused with
 * its first violation.
 */
#include "tests/support/unit_test.h"

#include "graph/verify/graph_verify.h"
#include "kernels/graph/common/graph_backend.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"
#include "tests/support/made_leaf_counts.h"

#include <math.h>

static csr_t graph;
static graph_spec_t spec;
static graph_result_t result;
static int32_t source;
static graph_task_t task;

/* Compute the result that a test then spoils.  Nodes are 10, 20, ..., so node k of the
 * text is number k / 10 - 1. */
static void compute_again(graph_algorithm_t algorithm)
{
    const device_t device = device_cpu();
    const graph_run_t run = {0};
    const graph_context_t context = {&device, NULL, &graph, &spec, &run};

    spec = made_graph_spec(algorithm);
    source = 0;
    task = (graph_task_t){&source, 1, 0};
    assert_int_equal(made_graph_compute(&serial_graph_backend, &context, &task, &result),
                     ST_OK);
    assert_int_equal(graph_verify(&graph, &spec, &task, &result), ST_OK);
}

static void compute(graph_algorithm_t algorithm, const char *edges)
{
    graph = made_graph_of(edges, false);
    compute_again(algorithm);
}

static void assert_refused(const char *message)
{
    capture_start();
    assert_int_equal(graph_verify(&graph, &spec, &task, &result), ST_EINPUT);
    capture_stop();
    assert_logged(message);
    assert_logged_one_line();
}

static int release(void **state)
{
    (void)state;
    csr_free(&graph);
    graph_result_free(&result);
    return 0;
}

/* 10 - 20 - 40 and 10 - 30 - 40, a tail 40 - 50, and 60 - 70 apart. */
static const char *const SQUARE = "10-20 10-30 20-40 30-40 40-50 60-70";
static const char *const WEIGHED = "10-20:1 10-30:1 20-40:1 30-40:3 40-50:0 60-70:0";

static void wrong_searches_are_refused(void **state)
{
    int32_t *depth, *parent;

    (void)state;
    compute(GRAPH_BFS, SQUARE);
    depth = result.column[0];
    parent = result.column[1];
    parent[3] = 2;
    assert_refused("bfs: the result is wrong: the parent of node 40 is 30 instead of 20");
    parent[3] = 1;
    depth[4] = 4;
    assert_refused("node 50 has depth 4, but node 40 with an arc to it has depth 2");
    depth[4] = -1;
    assert_refused("node 50 has depth -1");
    depth[4] = 3;
    depth[5] = 7;
    depth[6] = 7;
    assert_refused("node 60 has depth 7, but no neighbor has depth 6");
    depth[5] = depth[6] = -1;
    parent[6] = 5;
    assert_refused("the parent of node 70 is 60 instead of -1");
    parent[6] = -1;
    depth[0] = 1;
    assert_refused("the source 10 has depth 1");
}

static void wrong_distances_are_refused(void **state)
{
    int64_t *distance;

    (void)state;
    compute(GRAPH_SSSP, WEIGHED);
    distance = result.column[0];
    distance[3] = 3;
    distance[4] = 3;
    assert_refused("node 40 has distance 3, but node 20 with an arc of weight 1 to it "
                   "has distance 1");
    distance[3] = distance[4] = 1;
    assert_refused("no path of length 1 leads to node 40");
    distance[3] = distance[4] = 2;
    distance[5] = distance[6] = 5; /* an arc of weight 0 gives both to each other */
    assert_refused("no path of length 5 leads to node 60");
    distance[5] = distance[6] = -1;
    distance[0] = 1;
    assert_refused("the source 10 has distance 1");
}

static void wrong_real_distances_are_refused(void **state)
{
    double *distance;

    (void)state;
    graph = made_graph_of(WEIGHED, false);
    graph.value = calloc((size_t)graph.n_arcs, sizeof(*graph.value));
    for (int64_t a = 0; a < graph.n_arcs; a++)
        graph.value[a] = graph.weight[a] / 10.;
    free(graph.weight);
    graph.weight = NULL;
    compute_again(GRAPH_SSSP); /* 0 0.1 0.1 0.2 0.2 -1 -1 */
    distance = result.column[0];
    distance[4] = nextafter(0.2, 1);
    assert_refused("node 50 has distance 0.20000000000000004, but node 40 with an arc of "
                   "weight 0 to it has distance 0.20000000000000001");
    distance[4] = nextafter(0.2, 0);
    assert_refused("node 40 has distance 0.20000000000000001, but node 50 with");
    distance[3] = distance[4];
    assert_refused("no path of length 0.19999999999999998 leads to node 40");
    distance[3] = distance[4] = 0.2;
    distance[5] = distance[6] = -0.5;
    assert_refused("no path of length -0.5 leads to node 60");
    distance[5] = distance[6] = NAN;
    assert_refused("no path of length nan leads to node 60");
}

static void wrong_ranks_are_refused(void **state)
{
    double *rank;

    (void)state;
    compute(GRAPH_PAGERANK, SQUARE);
    rank = result.column[0];
    rank[0] += 0.01;
    assert_refused("the ranks add up to 1.01");
    rank[1] -= 0.01;
    assert_refused("one more iteration changes the ranks by");
    rank[1] = 0;
    assert_refused("the rank of node 20 is 0, below the minimum");
}

static void wrong_centralities_are_refused(void **state)
{
    (void)state;
    compute(GRAPH_BETWEENNESS, SQUARE);
    ((double *)result.column[0])[2] += 1e-6;
    assert_refused("the centrality of node 30 is 1.000001 instead of 1");
}

static void wrong_products_are_refused(void **state)
{
    (void)state;
    compute(GRAPH_SPMV, "10-20:4");
    ((double *)result.column[0])[1] += 1e-6;
    assert_refused("y of node 20 is");
    ((double *)result.column[0])[1] = INFINITY;
    assert_refused("y of node 20 is inf instead of 4");
}

static void products_that_overflow_are_compared_as_they_are_defined(void **state)
{
    (void)state;
    graph = made_graph_of("10-20:1 10-30:1 10-40:1 10-50:1 10-60:1 10-70:1", false);
    graph.value = calloc((size_t)graph.n_arcs, sizeof(*graph.value));
    free(graph.weight);
    graph.weight = NULL;
    for (int64_t a = 0; a < graph.n_arcs; a++)
        graph.value[a] = a == 4 || a == 5 ? -1.7e308 : 1.7e308;
    compute_again(GRAPH_SPMV); /* node 10: only the sum of four terms is too large */
    assert_true(isinf(((double *)result.column[0])[0]));
    ((double *)result.column[0])[1] = NAN;
    assert_refused("y of node 20 is");
}

static void wrong_components_are_refused(void **state)
{
    int32_t *component;

    (void)state;
    compute(GRAPH_COMPONENTS, SQUARE);
    component = result.column[0];
    component[5] = component[6] = 0;
    assert_refused("the component of node 60 is 10 instead of 60");
    component[5] = component[6] = 6;
    assert_refused("the component of node 60 is 70 instead of 60");
    component[5] = 5;
    assert_refused("the component of node 70 is 70 instead of 60");
}

static void wrong_forests_are_refused(void **state)
{
    (void)state;
    compute(GRAPH_MST, WEIGHED); /* 10-20 10-30 20-40 40-50 60-70; arcs 0 1 3 8 9 */
    assert_int_equal(result.n_arcs, 5);
    result.arcs[2] = 5; /* 30 - 40 of weight 3 for 20 - 40 */
    assert_refused("the edge 20 - 40 of weight 1 is missing");
    result.arcs[2] = 3;
    result.n_arcs = 4;
    assert_refused("the edge 60 - 70 of weight 0 is missing");
    result.n_arcs = 5;
    result.arcs[2] = 2; /* 20 - 10, the wrong direction */
    assert_refused("its arcs are not in ascending order or are no edges");
    release(NULL);
    compute(GRAPH_MST, "10-20:1 10-30:1 20-30:1"); /* arcs 0 and 1 */
    result.arcs[1] = 3;
    assert_refused("the edge 10 - 30 of weight 1 is missing");
    result.arcs[1] = 1;
    result.arcs[2] = 3; /* there is space for n_nodes + 1 */
    result.n_arcs = 3;
    assert_refused("the edge 20 - 30 of weight 1 closes a cycle");
}

static void wrong_sets_are_refused(void **state)
{
    uint8_t *in_set;

    (void)state;
    compute(GRAPH_MIS, SQUARE); /* 10 40 60 */
    in_set = result.column[0];
    in_set[4] = 1;
    assert_refused("the neighbors 40 and 50 are both in the set");
    in_set[3] = in_set[4] = 0;
    assert_refused("neither node 40 nor a neighbor is in the set");
    in_set[4] = 1;
    assert_refused("node 40 is not in the set, but comes before all its neighbors that "
                   "are");
}

static void wrong_colorings_are_refused(void **state)
{
    int32_t *color;

    (void)state;
    compute(GRAPH_COLORING, SQUARE); /* 40 first, then 10: both 0 */
    color = result.column[0];
    color[1] = 0;
    assert_refused("the neighbors 10 and 20 both have color 0");
    color[1] = 2;
    assert_refused("node 20 has color 2, but no neighbor before it has color 1");
    color[1] = 3;
    assert_refused("node 20 with 2 neighbors has color 3");
    color[1] = -1;
    assert_refused("node 20 with 2 neighbors has color -1");
}

static void wrong_counts_of_triangles_are_refused(void **state)
{
    (void)state;
    compute(GRAPH_TRIANGLES, "10-20 20-30 10-30 30-40");
    ((int64_t *)result.column[0])[3] = 1;
    assert_refused("node 40 is in 1 triangles instead of 0");
}

static void compute_tree(graph_algorithm_t algorithm)
{
    graph = made_graph_of("10>20 10>30 30>40", true);
    compute_again(algorithm);
}

static void wrong_trees_are_refused(void **state)
{
    (void)state;
    compute_tree(GRAPH_DESCENDANTS);
    ((int32_t *)result.column[0])[2] = 2;
    assert_refused("node 10 has 3 descendants and 2 leaves, but its children add up to 4 "
                   "and 2");
    ((int32_t *)result.column[0])[2] = 1;
    ((int32_t *)result.column[1])[3] = 2;
    assert_refused("node 30 has 1 descendants and 1 leaves, but its children add up to 1 "
                   "and 2");
    release(NULL);
    compute_tree(GRAPH_HEIGHTS);
    ((int32_t *)result.column[0])[0] = 1;
    assert_refused("node 10 has height 1 instead of 2");
}

static void wrong_counts_of_leaves_are_refused(void **state)
{
    const device_t device = device_cpu();
    const graph_run_t run = {0};
    const graph_context_t context = {&device, NULL, &graph, &spec, &run};
    leaf_counts_t leaves;

    (void)state;
    compute_tree(GRAPH_DESCENDANTS);
    graph_result_free(&result);
    leaves = made_leaf_counts(&graph);
    spec.leaves = &leaves;
    task = (graph_task_t){NULL, 0, 1};
    assert_int_equal(made_graph_compute(&serial_graph_backend, &context, &task, &result),
                     ST_OK);
    assert_int_equal(graph_verify(&graph, &spec, &task, &result), ST_OK);
    result.count[2] = INT64_MAX;
    assert_refused("node 10 has the count 2 instead of -9223372036854775808");
    result.count[2] = 1;
    result.count[3] = 2;
    assert_refused("node 30 has the count 1 instead of 2");
    result.count[2] = 2;
    result.count[0] = 3;
    assert_refused("node 40 has the count 2 instead of 1");
    arrays_free(&leaf_counts_arrays, &leaves);
}

/* Results of the definition pass on graphs of all shapes. */
static void right_results_pass(void **state)
{
    const device_t device = device_cpu();
    const graph_run_t run = {0};

    (void)state;
    for (int shape = MADE_EMPTY + 1; shape < MADE_N_SHAPES; shape++)
        for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
            const made_graph_t what = {shape,
                                       shape % 2        ? MADE_SMALL_WEIGHTS
                                       : shape % 4 == 0 ? MADE_VALUES
                                                        : MADE_WIDE_VALUES,
                                       40,
                                       !graph_info(a)->is_undirected &&
                                           (shape % 3 == 0 || shape == MADE_TREE),
                                       (uint64_t)shape};
            const graph_context_t context = {&device, NULL, &graph, &spec, &run};

            graph = made_graph(&what);
            spec = made_graph_spec(a);
            spec.order = shape % 3;
            spec.dangling = shape % 2;
            source = (int32_t)graph.n_nodes / 2;
            task = (graph_task_t){&source, 1, 0};
            if (graph_check(a, &graph, NULL, NULL) != ST_OK) {
                release(NULL);
                continue;
            }
            assert_int_equal(made_graph_compute(&serial_graph_backend, &context, &task,
                                                &result),
                             ST_OK);
            assert_int_equal(graph_verify(&graph, &spec, &task, &result), ST_OK);
            release(NULL);
        }
}

#define TEST(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wrong_searches_are_refused),
        TEST(wrong_distances_are_refused),
        TEST(wrong_real_distances_are_refused),
        TEST(wrong_ranks_are_refused),
        TEST(wrong_centralities_are_refused),
        TEST(wrong_products_are_refused),
        TEST(products_that_overflow_are_compared_as_they_are_defined),
        TEST(wrong_components_are_refused),
        TEST(wrong_forests_are_refused),
        TEST(wrong_sets_are_refused),
        TEST(wrong_colorings_are_refused),
        TEST(wrong_counts_of_triangles_are_refused),
        TEST(wrong_trees_are_refused),
        TEST(wrong_counts_of_leaves_are_refused),
        TEST(right_results_pass),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
