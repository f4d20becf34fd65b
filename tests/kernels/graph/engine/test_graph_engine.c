/*
 * test_graph_engine.c - the choice of a graph backend.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/graph/engine/graph_engine.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"

/* @return the chosen backend, or NULL if that fails with ST_EUSAGE and one line */
static const graph_backend_t *choose(graph_algorithm_t algorithm, made_weights_t weights,
                                     bool is_directed, const char *name)
{
    const made_graph_t what = {MADE_PATH, weights, 5, is_directed, 1};
    const device_t device = device_cpu();
    const graph_spec_t spec = made_graph_spec(algorithm);
    const graph_run_t run = {.backend = name};
    csr_t g = made_graph(&what);
    const graph_context_t context = {&device, NULL, &g, &spec, &run};
    const graph_backend_t *backend = NULL;
    status_t st;

    capture_start();
    st = graph_engine_choose(&context, &backend);
    capture_stop();
    if (st == ST_OK) {
        assert_logged_nothing();
    } else {
        assert_int_equal(st, ST_EUSAGE);
        assert_logged_one_line();
    }
    csr_free(&g);
    return backend;
}

static void the_definition_is_used_only_by_name(void **state)
{
    (void)state;
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        assert_string_equal(choose(a, MADE_WEIGHTS, false, NULL)->name, "cpu");
        assert_string_equal(choose(a, MADE_WEIGHTS, false, "serial")->name, "serial");
    }
}

static void an_unknown_name_is_refused_with_those_that_exist(void **state)
{
    (void)state;
    assert_null(choose(GRAPH_BFS, MADE_NO_WEIGHTS, false, "parallel"));
    assert_logged("--kernel parallel:");
    assert_logged("choose from: auto cpu serial");
}

static void graphs_without_a_definition_are_refused(void **state)
{
    (void)state;
    assert_null(choose(GRAPH_SSSP, MADE_VALUES, false, NULL));
    assert_logged("sssp takes integer weights");
    assert_null(choose(GRAPH_MST, MADE_NO_WEIGHTS, true, "serial"));
    assert_logged("mst takes undirected graphs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_definition_is_used_only_by_name),
        cmocka_unit_test(an_unknown_name_is_refused_with_those_that_exist),
        cmocka_unit_test(graphs_without_a_definition_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
