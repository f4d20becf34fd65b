/*
 * test_cuda_adapt.cu - what the adaptive runtime chooses for graphs of known degrees, on
 * a device of 100 cores.  No GPU is needed.
 */
#include "kernels/graph/cuda/cuda_adapt.cuh"

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
}

namespace
{

constexpr int N_CORES = 100;

cuda_graph_t graph(int n_nodes, uint32_t n_arcs, uint32_t max_degree)
{
    cuda_graph_t g = {};

    g.n_nodes = n_nodes;
    g.n_arcs = n_arcs;
    g.max_degree = max_degree;
    return g;
}

adapt_t tuned_for(graph_algorithm_t algorithm, const cuda_graph_t &g)
{
    const graph_run_t run = {};

    return adapt_tune(algorithm, &run, g, N_CORES);
}

/* 192 nodes per core; 6 % of a million nodes. */
void sets_are_small_below_t2_and_large_above_t3(void **)
{
    const adapt_t a = tuned_for(GRAPH_BFS, graph(1000000, 16000000, 100));

    assert_int_equal(a.small_set, 19200);
    assert_int_equal(a.large_set, 60000);
    assert_int_equal(adapt_choose(a, 0), ADAPT_BLOCKS);
    assert_int_equal(adapt_choose(a, 19199), ADAPT_BLOCKS);
    assert_int_equal(adapt_choose(a, 19200), ADAPT_BLOCKS);
    assert_int_equal(adapt_choose(a, 60000), ADAPT_BLOCKS);
    assert_int_equal(adapt_choose(a, 60001), ADAPT_BLOCKS | ADAPT_BITMAP);
}

/* A mean below 8 and no row above 64: once there are threads enough, one takes a node. */
void nodes_of_low_degree_have_a_thread_each(void **)
{
    const adapt_t a = tuned_for(GRAPH_BFS, graph(1000000, 7999999, 64));

    assert_true(a.low_degree);
    assert_int_equal(a.blocks_per_core, 1);
    assert_int_equal(adapt_choose(a, 19199), ADAPT_BLOCKS);
    assert_int_equal(adapt_choose(a, 19200), 0);
    assert_int_equal(adapt_choose(a, 60001), ADAPT_BITMAP);
    assert_int_equal(adapt_template(a, adapt_choose(a, 19200), 19200),
                     GRAPH_THREAD_MAPPED);
    assert_false(tuned_for(GRAPH_BFS, graph(1000000, 8000000, 64)).low_degree);
    assert_false(tuned_for(GRAPH_BFS, graph(1000000, 7999999, 65)).low_degree);
}

/* A mean of 16: 1,024 arcs per core are 64 nodes.  A maximum above 8 means is skewed. */
void wide_sets_of_skewed_graphs_are_split_by_merge_path(void **)
{
    const adapt_t skewed = tuned_for(GRAPH_BFS, graph(1000000, 16000000, 129)),
                  even = tuned_for(GRAPH_BFS, graph(1000000, 16000000, 128)),
                  sssp = tuned_for(GRAPH_SSSP, graph(1000000, 16000000, 129));

    assert_int_equal(skewed.wide_set, 6400);
    assert_int_equal(adapt_template(skewed, ADAPT_BLOCKS, 6399), GRAPH_TEMPLATE_AUTO);
    assert_int_equal(adapt_template(skewed, ADAPT_BLOCKS, 6400), GRAPH_MERGE_PATH);
    assert_int_equal(adapt_template(even, ADAPT_BLOCKS, 6400), GRAPH_TEMPLATE_AUTO);
    assert_int_equal(adapt_template(sssp, ADAPT_BLOCKS, 0), GRAPH_MERGE_PATH);
}

/* More than 32 means: a hub makes the arcs of a level many times as many. */
void arcs_are_counted_in_graphs_with_hubs(void **)
{
    assert_true(tuned_for(GRAPH_BFS, graph(1000000, 16000000, 513)).counts_arcs);
    assert_false(tuned_for(GRAPH_BFS, graph(1000000, 16000000, 512)).counts_arcs);
    assert_int_equal(tuned_for(GRAPH_BFS, graph(1000000, 16000000, 1)).mean_degree, 17);
}

/* Wide buckets for graphs of low degree, and for small ones with a hub above 256 means.
 */
void buckets_have_the_width_of_their_kind_of_graph(void **)
{
    assert_true(tuned_for(GRAPH_SSSP, graph(1000000, 4000000, 9)).delta == 128);
    assert_true(tuned_for(GRAPH_SSSP, graph(1199999, 19199984, 4097)).delta == 256);
    assert_true(tuned_for(GRAPH_SSSP, graph(1200000, 19200000, 4097)).delta == 8);
    assert_true(tuned_for(GRAPH_SSSP, graph(1199999, 19199984, 4095)).delta == 8);
}

void a_variant_that_was_asked_for_is_always_chosen(void **)
{
    const struct {
        graph_variant_t variant;
        bool is_ordered;
        int choice;
    } rows[] = {
        {GRAPH_O_T_BM, true, ADAPT_BITMAP},
        {GRAPH_O_T_QU, true, 0},
        {GRAPH_O_B_BM, true, ADAPT_BLOCKS | ADAPT_BITMAP},
        {GRAPH_O_B_QU, true, ADAPT_BLOCKS},
        {GRAPH_U_T_BM, false, ADAPT_BITMAP},
        {GRAPH_U_T_QU, false, 0},
        {GRAPH_U_B_BM, false, ADAPT_BLOCKS | ADAPT_BITMAP},
        {GRAPH_U_B_QU, false, ADAPT_BLOCKS},
    };

    for (const auto &row : rows) {
        graph_run_t run = {};

        run.variant = row.variant;
        const adapt_t a =
            adapt_tune(GRAPH_BFS, &run, graph(1000000, 16000000, 513), N_CORES);
        for (unsigned n : {0u, 19200u, 1000000u})
            assert_int_equal(adapt_choose(a, n), row.choice);
        assert_int_equal(a.is_ordered, row.is_ordered);
        assert_int_equal(adapt_template(a, ADAPT_BLOCKS, 1000000), GRAPH_WARP_MAPPED);
        assert_false(a.may_pull || a.counts_arcs);
    }
}

void a_template_that_was_asked_for_is_taken_for_all_sets(void **)
{
    graph_run_t run = {};

    run.loop_template = GRAPH_DBUF_GLOBAL;
    const adapt_t a = adapt_tune(GRAPH_BFS, &run, graph(1000000, 4000000, 9), N_CORES);
    for (unsigned n : {0u, 19200u, 1000000u})
        assert_int_equal(adapt_template(a, adapt_choose(a, n), n), GRAPH_DBUF_GLOBAL);
    assert_false(a.may_pull);
}

void thresholds_that_were_given_replace_the_measured_ones(void **)
{
    graph_run_t run = {};

    run.tuning.small_set = 10;
    run.tuning.large_set = 0.5;
    run.tuning.low_degree = 20;
    run.tuning.delta = 3;
    const adapt_t a = adapt_tune(GRAPH_BFS, &run, graph(1000, 16000, 64), N_CORES);
    assert_int_equal(adapt_choose(a, 9), ADAPT_BLOCKS);
    assert_int_equal(adapt_choose(a, 10), 0);
    assert_int_equal(adapt_choose(a, 500), 0);
    assert_int_equal(adapt_choose(a, 501), ADAPT_BITMAP);
    assert_true(a.delta == 3);
}

/* Components: rows above 1,024 arcs are set aside.  Triangles: only graphs of low degree.
 */
void loops_over_all_nodes_have_the_template_of_their_rule(void **)
{
    const struct {
        graph_algorithm_t algorithm;
        uint32_t n_arcs, max_degree;
        graph_template_t asked, chosen;
        int64_t lb_threshold;
    } rows[] = {
        {GRAPH_COMPONENTS, 16000, 1025, GRAPH_TEMPLATE_AUTO, GRAPH_DBUF_GLOBAL, 1024},
        {GRAPH_COMPONENTS, 16000, 1024, GRAPH_TEMPLATE_AUTO, GRAPH_THREAD_MAPPED, 32},
        {GRAPH_COMPONENTS, 16000, 1025, GRAPH_WARP_MAPPED, GRAPH_WARP_MAPPED, 32},
        {GRAPH_TRIANGLES, 7999, 64, GRAPH_TEMPLATE_AUTO, GRAPH_THREAD_MAPPED, 32},
        {GRAPH_TRIANGLES, 8000, 64, GRAPH_TEMPLATE_AUTO, GRAPH_TEMPLATE_AUTO, 32},
        {GRAPH_SPMV, 7999, 64, GRAPH_TEMPLATE_AUTO, GRAPH_TEMPLATE_AUTO, 32},
    };

    for (const auto &row : rows) {
        cuda_loop_t loop = {};

        loop.form = row.asked;
        loop.lb_threshold = 32;
        adapt_loop(row.algorithm, graph(1000, row.n_arcs, row.max_degree), &loop);
        assert_int_equal(loop.form, row.chosen);
        assert_int_equal(loop.lb_threshold, row.lb_threshold);
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_small_below_t2_and_large_above_t3),
        cmocka_unit_test(nodes_of_low_degree_have_a_thread_each),
        cmocka_unit_test(wide_sets_of_skewed_graphs_are_split_by_merge_path),
        cmocka_unit_test(arcs_are_counted_in_graphs_with_hubs),
        cmocka_unit_test(buckets_have_the_width_of_their_kind_of_graph),
        cmocka_unit_test(a_variant_that_was_asked_for_is_always_chosen),
        cmocka_unit_test(a_template_that_was_asked_for_is_taken_for_all_sets),
        cmocka_unit_test(thresholds_that_were_given_replace_the_measured_ones),
        cmocka_unit_test(loops_over_all_nodes_have_the_template_of_their_rule),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
