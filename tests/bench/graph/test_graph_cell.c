/*
 * test_graph_cell.c - a result that differs from the reference ends the benchmark.
 */
#include "tests/support/unit_test.h"

#include "bench/graph/graph_bench.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"

static const made_graph_t grid = {MADE_GRID, MADE_WEIGHTS, 36, false, 1};
static const made_graph_t tree = {MADE_TREE, MADE_WEIGHTS, 36, true, 1};

typedef struct {
    csr_t graph;
    graph_spec_t spec;
    device_t cpu;
    int32_t source;
    graph_task_t task;
    graph_result_t reference;
    graph_cell_of_t what;
    graph_setting_t setting;
} made_t;

static void make(graph_algorithm_t algorithm, made_t *m)
{
    *m =
        (made_t){.graph = made_graph(graph_info(algorithm)->is_forest ? &tree : &grid),
                 .spec = made_graph_spec(algorithm),
                 .cpu = device_cpu(),
                 .setting = {.name = "cpu-1", .run = {.backend = "cpu"}, .n_threads = 1}};
    m->task = (graph_task_t){&m->source, graph_info(algorithm)->has_sources, 0};
    m->what = (graph_cell_of_t){.device = &m->cpu,
                                .graph = &m->graph,
                                .spec = &m->spec,
                                .task = &m->task,
                                .reference = &m->reference,
                                .n_runs = 3,
                                .seconds = 60};
    assert_int_equal(graph_cell_reference(&m->what, "serial", NULL, &m->reference),
                     ST_OK);
}

static void destroy(made_t *m)
{
    graph_result_free(&m->reference);
    csr_free(&m->graph);
}

static void equal_results_are_measured(void **state)
{
    (void)state;
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        graph_cell_t cell;
        made_t m;

        make((graph_algorithm_t)a, &m);
        assert_int_equal(graph_cell_measure(&m.what, &m.setting, &cell), ST_OK);
        assert_true(cell.is_measured);
        assert_int_equal(cell.n_runs, 3);
        assert_true(cell.min <= cell.median && cell.median <= cell.max);
        destroy(&m);
    }
}

static void a_wrong_value_is_an_error(void **state)
{
    graph_cell_t cell;
    made_t m;

    (void)state;
    make(GRAPH_BFS, &m);
    ((int32_t *)m.reference.column[1])[35] ^= 1;
    capture_start();
    assert_int_equal(graph_cell_measure(&m.what, &m.setting, &cell), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("bfs, cpu-1: the parent of node 255 differs");
    assert_false(cell.is_measured);
    destroy(&m);
}

static void a_wrong_edge_is_an_error(void **state)
{
    graph_cell_t cell;
    made_t m;

    (void)state;
    make(GRAPH_MST, &m);
    m.reference.arcs[m.reference.n_arcs - 1]++;
    capture_start();
    assert_int_equal(graph_cell_measure(&m.what, &m.setting, &cell), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("mst, cpu-1: the edges differ");
    destroy(&m);
}

static void choices_that_nothing_obeys_are_left_out(void **state)
{
    graph_cell_t cell;
    made_t m;

    (void)state;
    make(GRAPH_BFS, &m);
    m.setting.choices = GRAPH_CHOICE_TEMPLATE;
    assert_int_equal(graph_cell_measure(&m.what, &m.setting, &cell), ST_OK);
    assert_false(cell.is_measured);
    destroy(&m);
}

static void settings_have_names_of_their_own(void **state)
{
    static graph_setting_t s[GRAPH_SETTINGS_MAX];
    const int threads[] = {1, 16};

    (void)state;
    for (int kind = DEVICE_CPU; kind <= DEVICE_CUDA; kind++) {
        int n = graph_cell_settings((device_kind_t)kind, threads, 2, s);

        assert_true(n <= GRAPH_SETTINGS_MAX);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++)
                assert_string_not_equal(s[i].name, s[k].name);
        if (kind == DEVICE_CPU)
            assert_int_equal(n, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_results_are_measured),
        cmocka_unit_test(a_wrong_value_is_an_error),
        cmocka_unit_test(a_wrong_edge_is_an_error),
        cmocka_unit_test(choices_that_nothing_obeys_are_left_out),
        cmocka_unit_test(settings_have_names_of_their_own),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
