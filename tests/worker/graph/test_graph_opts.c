/*
 * test_graph_opts.c - tests that options of the job "graph" are completed, and refused
 * where they exclude each other.
 */
#include "tests/support/unit_test.h"

#include "worker/graph/graph_opts.h"

#include <string.h>

static graph_opts_t opts;

/* The defaults, as a front end has them before its user's options. */
static void start(graph_algorithm_t algorithm)
{
    opts = graph_opts_defaults();
    opts.algorithm = algorithm;
    opts.input = "in.mtx";
    opts.common.output = "out.h5";
}

static void assert_settled(void)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    if (graph_opts_settle(&opts.common, why) != ST_OK)
        fail_msg("refused: %s", why);
}

static void assert_refused(const char *expected)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    assert_int_equal(graph_opts_settle(&opts.common, why), ST_EUSAGE);
    if (strstr(why, expected) == NULL)
        fail_msg("'%s' does not contain '%s'", why, expected);
}

static void options_that_are_not_given_get_their_defaults(void **state)
{
    (void)state;
    start(GRAPH_PAGERANK);
    assert_settled();
    assert_int_equal(opts.damping.numerator * 100, opts.damping.denominator * 85);
    assert_true(opts.tolerance == 1e-6);
    assert_int_equal(opts.max_iterations, 100);
    assert_int_equal(opts.dangling, GRAPH_DANGLING_SPREAD);
    assert_int_equal(opts.order, GRAPH_BY_ID);
    assert_int_equal(opts.seed, 1);
}

static void weights_are_read_where_they_count(void **state)
{
    (void)state;
    start(GRAPH_BFS);
    assert_settled();
    assert_int_equal(opts.read.weights, GRAPH_WEIGHTS_UNREAD);
    start(GRAPH_SPMV);
    assert_settled();
    assert_int_equal(opts.read.weights, GRAPH_WEIGHTS_ANY);
    start(GRAPH_SSSP);
    assert_settled();
    assert_int_equal(opts.read.weights, GRAPH_WEIGHTS_LENGTHS);
    opts.weights_text = "unit";
    assert_settled();
    assert_int_equal(opts.read.weights, GRAPH_WEIGHTS_UNREAD);
    start(GRAPH_MST);
    assert_settled();
    assert_int_equal(opts.read.weights, GRAPH_WEIGHTS_ANY);
    opts.newick = "tree.nwk"; /* heights are not negative */
    assert_settled();
    assert_int_equal(opts.read.weights, GRAPH_WEIGHTS_LENGTHS);
}

static void sources_follow_from_the_algorithm(void **state)
{
    (void)state;
    start(GRAPH_BETWEENNESS);
    assert_settled();
    assert_int_equal(opts.sources.kind, GRAPH_SOURCES_ALL);
    start(GRAPH_BFS);
    assert_settled();
    assert_int_equal(opts.sources.kind, GRAPH_SOURCES_MAX_DEGREE);
    start(GRAPH_BFS);
    GIVE(&opts, n_sources, 5);
    GIVE(&opts, seed, 7);
    assert_settled();
    assert_int_equal(opts.sources.kind, GRAPH_SOURCES_RANDOM);
    assert_int_equal(opts.sources.n, 5);
    assert_int_equal(opts.sources.seed, 7);
    start(GRAPH_BFS);
    opts.source_text = "9223372036854775807";
    assert_settled();
    assert_int_equal(opts.sources.id, INT64_MAX);
    start(GRAPH_BFS);
    opts.source_text = "9223372036854775808";
    assert_settled();
    assert_string_equal(opts.sources.name, "9223372036854775808");
    assert_int_equal(opts.sources.id, -1);
}

static void simple_graphs_are_made_for_algorithms_that_need_them(void **state)
{
    (void)state;
    start(GRAPH_TRIANGLES);
    assert_settled();
    assert_true(opts.build.dedupe && opts.build.drop_loops && !opts.build.symmetrize);
    start(GRAPH_SPMV);
    assert_settled();
    assert_true(!opts.build.dedupe && !opts.build.drop_loops);
}

static void weights_are_read_where_they_are_used(void **state)
{
    (void)state;
    start(GRAPH_SSSP);
    assert_settled();
    assert_int_equal(opts.build.weights, CSR_WEIGHTS_GIVEN);
    start(GRAPH_BFS);
    assert_settled();
    assert_int_equal(opts.build.weights, CSR_WEIGHTS_UNIT);
    start(GRAPH_SSSP);
    opts.weights_text = "uniform:2-9:5";
    assert_settled();
    assert_int_equal(opts.build.weights, CSR_WEIGHTS_UNIFORM);
    assert_int_equal(opts.build.low, 2);
    assert_int_equal(opts.build.high, 9);
    assert_int_equal(opts.build.seed, 5);
    start(GRAPH_SSSP);
    opts.weights_text = "uniform:2-2147483648";
    assert_refused("--weights uniform:2-2147483648: give");
}

static void a_seed_that_nothing_uses_is_refused(void **state)
{
    (void)state;
    start(GRAPH_MIS);
    GIVE(&opts, seed, 3);
    assert_refused("--seed needs");
    start(GRAPH_MIS);
    GIVE(&opts, seed, 3);
    GIVE(&opts, order, GRAPH_BY_DEGREE);
    assert_settled();
}

static void a_kernel_of_one_kind_of_device_chooses_it(void **state)
{
    (void)state;
    start(GRAPH_BFS);
    opts.common.kernel = "serial";
    assert_settled();
    assert_string_equal(opts.common.device, "cpu");
    start(GRAPH_BFS);
    opts.common.kernel = "serial";
    opts.common.device = "cuda:0";
    assert_refused("--kernel serial does not run on --device cuda:0");
}

static void graphs_are_divided_for_some_algorithms_alone(void **state)
{
    (void)state;
    start(GRAPH_BFS);
    opts.partition = GRAPH_PARTITION_ON;
    assert_settled();
    start(GRAPH_BFS);
    opts.partition = GRAPH_PARTITION_ON;
    GIVE(&opts, n_sources, 2);
    assert_refused("--partition on computes bfs from one source; leave out --sources");
    start(GRAPH_SSSP);
    assert_int_equal(opts.partition, GRAPH_PARTITION_AUTO);
    opts.partition = GRAPH_PARTITION_ON;
    assert_refused("--partition on is for bfs, pagerank, components, not for sssp");
    start(GRAPH_BFS);
    opts.partition = GRAPH_PARTITION_ON;
    opts.common.task_timeout_s = 9;
    assert_refused("leave out --task-timeout");
    start(GRAPH_PAGERANK);
    opts.partition = GRAPH_PARTITION_ON;
    opts.common.kernel = "serial";
    assert_refused("--kernel serial computes whole graphs; leave out --partition on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_are_not_given_get_their_defaults),
        cmocka_unit_test(weights_are_read_where_they_count),
        cmocka_unit_test(sources_follow_from_the_algorithm),
        cmocka_unit_test(simple_graphs_are_made_for_algorithms_that_need_them),
        cmocka_unit_test(weights_are_read_where_they_are_used),
        cmocka_unit_test(a_seed_that_nothing_uses_is_refused),
        cmocka_unit_test(a_kernel_of_one_kind_of_device_chooses_it),
        cmocka_unit_test(graphs_are_divided_for_some_algorithms_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
