/*
 * test_cpu_graph.c - the backend `cpu` refuses what its numbers do not hold, and stops.
 */
#include "tests/support/unit_test.h"

#include "kernels/graph/common/graph_backend.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"

static pool_t *pool;
static device_t device;

static int start(void **state)
{
    device = device_cpu();
    return pool_create(2, &pool) == ST_OK ? dir_make(state) : -1;
}

static int stop(void **state)
{
    pool_destroy(pool);
    return dir_remove(state);
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
    graph_context_t context = {&device, pool, &g, &spec, &run};
    graph_result_t r;

    (void)state;
    for (int i = 0; i < 1000; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "%d-%d %d-%d %d-%d %d-%d ", 3 * i, 3 * i + 1, 3 * i,
                                3 * i + 2, 3 * i + 1, 3 * i + 3, 3 * i + 2, 3 * i + 3);
    g = made_graph_of(text, false);
    capture_start();
    assert_int_equal(made_graph_compute(&cpu_graph_backend, &context,
                                        &(graph_task_t){sources, 2, 0}, &r),
                     ST_EINPUT);
    capture_stop();
    assert_logged("shortest paths lead from node 0");
    assert_logged_one_line();
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
        graph_task_t task = {sources, info->is_summed ? 2 : 1, 0};
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
        cmocka_unit_test(too_many_paths_are_refused_in_one_line),
        cmocka_unit_test(a_cancelled_run_stops),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
