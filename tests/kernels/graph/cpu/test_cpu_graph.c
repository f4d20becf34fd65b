/*
 * test_cpu_graph.c - the backend `cpu` returns the bytes of `serial`, for graphs of all
 * shapes, sizes around those of its blocks, and any number of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/verify/graph_verify.h"
#include "kernels/graph/common/graph_backend.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"

#include <string.h>

enum { N_POOLS = 4 };

static const int n_threads[N_POOLS] = {1, 2, 3, 8};
static pool_t *pools[N_POOLS];
static device_t device;

static int start(void **state)
{
    device = device_cpu();
    for (int i = 0; i < N_POOLS; i++)
        if (pool_create(n_threads[i], &pools[i]) != ST_OK)
            return -1;
    return dir_make(state);
}

static int stop(void **state)
{
    for (int i = 0; i < N_POOLS; i++)
        pool_destroy(pools[i]);
    return dir_remove(state);
}

static void assert_same(const graph_info_t *info, int64_t n, const graph_result_t *got,
                        const graph_result_t *want, const char *what)
{
    for (int i = 0; i < info->n_columns; i++)
        if (memcmp(got->column[i], want->column[i],
                   (size_t)(n * graph_type_bytes(info->columns[i].type))) != 0)
            fail_msg("%s: %s differs", what, info->columns[i].name);
    if (got->n_arcs != want->n_arcs ||
        (want->n_arcs > 0 &&
         memcmp(got->arcs, want->arcs, (size_t)want->n_arcs * sizeof(*want->arcs)) != 0))
        fail_msg("%s: the forest differs", what);
}

/* Compare both backends for one algorithm, with every pool, and verify the result. */
static void compare(const csr_t *g, const graph_spec_t *spec, const graph_task_t *task,
                    const made_graph_t *what)
{
    const graph_info_t *info = graph_info(spec->algorithm);
    const graph_run_t run = {0};
    graph_context_t context = {&device, NULL, g, spec, &run};
    graph_result_t want, got;
    char text[120];

    if ((info->is_undirected && what->is_directed) ||
        !serial_graph_backend.takes(&context))
        return;
    assert_int_equal(made_graph_compute(&serial_graph_backend, &context, task, &want),
                     ST_OK);
    assert_int_equal(graph_verify(g, spec, task, &want), ST_OK);
    for (int i = 0; i < N_POOLS; i++) {
        snprintf(text, sizeof(text), "%s: shape %d, weights %d, %d nodes, %d threads",
                 info->name, what->shape, what->weights, (int)what->n, n_threads[i]);
        context.pool = pools[i];
        assert_true(cpu_graph_backend.takes(&context));
        assert_int_equal(made_graph_compute(&cpu_graph_backend, &context, task, &got),
                         ST_OK);
        assert_same(info, g->n_nodes, &got, &want, text);
        if (spec->algorithm == GRAPH_PAGERANK)
            assert_int_equal(got.n_iterations, want.n_iterations);
        graph_result_free(&got);
    }
    graph_result_free(&want);
}

static void compare_graph(const made_graph_t *what)
{
    csr_t g = made_graph(what);
    int32_t sources[20];

    for (int i = 0; i < 20; i++)
        sources[i] = (int32_t)(g.n_nodes * i / 20);
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        graph_spec_t spec = made_graph_spec(a);
        graph_task_t task = {sources + what->seed % 20, 1};

        if (graph_info(a)->has_sources && g.n_nodes == 0)
            continue;
        if (graph_info(a)->is_summed)
            task = (graph_task_t){sources, what->seed % 2 ? 20 : 4};
        spec.order = (graph_order_t)(what->seed % 3);
        spec.dangling = what->seed % 2 ? GRAPH_DANGLING_LEAK : GRAPH_DANGLING_SPREAD;
        compare(&g, &spec, &task, what);
    }
    csr_free(&g);
}

static void results_equal_the_definition_on_small_graphs_of_all_shapes(void **state)
{
    const int64_t sizes[] = {1, 2, 7, 63, 65, 300};
    uint64_t seed = 0;

    (void)state;
    for (int shape = 0; shape < MADE_N_SHAPES; shape++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            for (int is_directed = 0; is_directed < 2; is_directed++) {
                const made_graph_t what = {shape, (made_weights_t)(seed % MADE_N_WEIGHTS),
                                           shape == MADE_COMPLETE ? sizes[i] % 50 + 1
                                                                  : sizes[i],
                                           is_directed, seed};

                compare_graph(&what);
                seed++;
            }
}

/* More nodes than a block of any loop or sum, and every kind of weights. */
static void results_equal_the_definition_on_larger_graphs(void **state)
{
    const made_graph_t graphs[] = {{MADE_RMAT, MADE_WEIGHTS, 8192, false, 1},
                                   {MADE_RMAT, MADE_LARGE_WEIGHTS, 5000, true, 2},
                                   {MADE_RANDOM, MADE_VALUES, 6000, false, 3},
                                   {MADE_RANDOM, MADE_SMALL_WEIGHTS, 6000, false, 4},
                                   {MADE_SPARSE, MADE_WEIGHTS, 20000, false, 5},
                                   {MADE_STAR, MADE_WEIGHTS, 9000, false, 6},
                                   {MADE_GRID, MADE_LARGE_WEIGHTS, 4900, false, 7},
                                   {MADE_CLIQUES, MADE_SMALL_WEIGHTS, 6000, false, 8},
                                   {MADE_PATH, MADE_LARGE_WEIGHTS, 3000, false, 9}};

    (void)state;
    for (size_t i = 0; i < sizeof(graphs) / sizeof(graphs[0]); i++)
        compare_graph(&graphs[i]);
}

/* 2^1000 paths, from each source: one message. */
static void too_many_paths_are_refused_in_one_line(void **state)
{
    const graph_spec_t spec = made_graph_spec(GRAPH_BETWEENNESS);
    const graph_run_t run = {0};
    const int32_t sources[] = {0, 1};
    char text[60000] = "";
    size_t len = 0;
    csr_t g;
    graph_context_t context = {&device, pools[1], &g, &spec, &run};
    graph_result_t r;

    (void)state;
    for (int i = 0; i < 1000; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "%d-%d %d-%d %d-%d %d-%d ", 3 * i, 3 * i + 1, 3 * i,
                                3 * i + 2, 3 * i + 1, 3 * i + 3, 3 * i + 2, 3 * i + 3);
    g = made_graph_of(text, false);
    capture_start();
    assert_int_equal(made_graph_compute(&cpu_graph_backend, &context,
                                        &(graph_task_t){sources, 2}, &r),
                     ST_EINPUT);
    capture_stop();
    assert_logged("shortest paths lead from node 0");
    assert_logged_one_line();
    csr_free(&g);
}

/* Memory that is kept between the tasks of a state holds nothing of the task before. */
static void a_state_computes_one_task_after_the_other(void **state)
{
    const made_graph_t what = {MADE_SPARSE, MADE_WEIGHTS, 1000, false, 1};
    const graph_algorithm_t algorithms[] = {GRAPH_BFS, GRAPH_SSSP, GRAPH_BETWEENNESS};
    const graph_run_t run = {0};
    csr_t g = made_graph(&what);

    (void)state;
    for (size_t k = 0; k < sizeof(algorithms) / sizeof(algorithms[0]); k++) {
        const graph_spec_t spec = made_graph_spec(algorithms[k]);
        const graph_info_t *info = graph_info(algorithms[k]);
        const graph_context_t context = {&device, pools[1], &g, &spec, &run};
        void *kept = NULL;

        assert_int_equal(cpu_graph_backend.create(&context, &kept), ST_OK);
        for (int32_t source = 0; source < 50; source += 7) {
            const graph_task_t task = {&source, 1};
            graph_result_t got, want;

            assert_int_equal(graph_result_create(info, g.n_nodes, &got), ST_OK);
            assert_int_equal(cpu_graph_backend.compute(kept, &task, &got), ST_OK);
            assert_int_equal(made_graph_compute(&serial_graph_backend, &context, &task,
                                                &want),
                             ST_OK);
            assert_same(info, g.n_nodes, &got, &want, info->name);
            graph_result_free(&got);
            graph_result_free(&want);
        }
        cpu_graph_backend.destroy(kept);
    }
    csr_free(&g);
}

static void a_cancelled_run_stops(void **state)
{
    static const graph_algorithm_t polling[] = {GRAPH_PAGERANK, GRAPH_BETWEENNESS,
                                                GRAPH_SSSP, GRAPH_TRIANGLES};
    const made_graph_t what = {MADE_GRID, MADE_WEIGHTS, 400, false, 1};
    const device_t cpu = device_cpu();
    csr_t g = made_graph(&what);

    (void)state;
    for (size_t k = 0; k < sizeof(polling) / sizeof(polling[0]); k++) {
        int cancel = 0;
        int32_t sources[] = {1, 2};
        const graph_spec_t spec = made_graph_spec(polling[k]);
        const graph_run_t run = {.cancel = &cancel};
        const graph_context_t context = {&cpu, NULL, &g, &spec, &run};
        const graph_info_t *info = graph_info(polling[k]);
        graph_task_t task = {sources, info->is_summed ? 2 : 1};
        graph_result_t r = {0};
        void *kernel;

        assert_int_equal(graph_result_create(info, g.n_nodes, &r), ST_OK);
        assert_int_equal(cpu_graph_backend.create(&context, &kernel), ST_OK);
        assert_int_equal(cpu_graph_backend.compute(kernel, &task, &r), ST_OK);
        cancel = 1;
        r.n_iterations = 0;
        assert_int_equal(cpu_graph_backend.compute(kernel, &task, &r), ST_ESTOPPED);
        cpu_graph_backend.destroy(kernel);
        graph_result_free(&r);
    }
    csr_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_equal_the_definition_on_small_graphs_of_all_shapes),
        cmocka_unit_test(results_equal_the_definition_on_larger_graphs),
        cmocka_unit_test(too_many_paths_are_refused_in_one_line),
        cmocka_unit_test(a_cancelled_run_stops),
        cmocka_unit_test(a_state_computes_one_task_after_the_other),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
