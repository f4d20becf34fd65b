/*
 * test_backends.c - the choice among the backends of this build, by device and name.
 */
#include "tests/support/unit_test.h"

#include "kernels/registry/backends.h"
#include "tests/support/captured_log.h"
#include "tests/support/layer_case.h"
#include "tests/support/made_graph.h"

/* ---- graphs ---- */

/* @return the chosen backend, or NULL if that fails with ST_EUSAGE and one line */
static const graph_backend_t *choose_graph(graph_algorithm_t algorithm,
                                           made_weights_t weights, bool is_directed,
                                           const char *name)
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
    st = graph_backend_choose(&context, &backend);
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
        const bool is_directed = graph_info(a)->is_forest;

        assert_string_equal(choose_graph(a, MADE_WEIGHTS, is_directed, NULL)->base.name,
                            "cpu");
        assert_string_equal(
            choose_graph(a, MADE_WEIGHTS, is_directed, "serial")->base.name, "serial");
    }
}

static void an_unknown_kernel_of_graphs_is_refused_with_those_that_exist(void **state)
{
    (void)state;
    assert_null(choose_graph(GRAPH_BFS, MADE_NO_WEIGHTS, false, "parallel"));
    assert_logged("--kernel parallel:");
    assert_logged("choose from: auto cpu serial");
}

/* ---- neural networks ---- */

static device_t cpu;
static layer_program_t program;

/* @return the row chosen for a layer, or NULL if that fails with ST_EUSAGE and one line
 */
static const backend_t *choose_network(cnn_type_t type, const char *name)
{
    const cnn_context_t context = {.device = &cpu, .program = &program.one.program};
    const backend_t *row = NULL;
    status_t st;

    cpu = device_cpu();
    layer_case_program(&layer_cases[0], type, CNN_STRICT, &program);
    capture_start();
    st = backend_choose(&cnn_table, &(backend_request_t){.name = name, .device = &cpu},
                        &context, &row);
    capture_stop();
    if (st == ST_OK) {
        assert_logged_nothing();
    } else {
        assert_int_equal(st, ST_EUSAGE);
        assert_logged_one_line();
    }
    return row;
}

static void the_first_of_the_device_is_chosen(void **state)
{
    const backend_t *const *row = cnn_table.rows;

    (void)state;
    while ((*row)->kind != DEVICE_CPU)
        row++;
    assert_ptr_equal(choose_network(CNN_F32, NULL), *row);
    assert_ptr_equal(choose_network(CNN_F32, "auto"), *row);
}

static void serial_runs_what_others_do_not(void **state)
{
    (void)state;
    assert_string_equal(choose_network(CNN_F64, NULL)->name, "serial");
    assert_null(choose_network(CNN_F64, "cpu"));
    assert_logged("of this precision");
}

static void a_backend_is_found_by_its_name(void **state)
{
    (void)state;
    for (const backend_t *const *row = cnn_table.rows; *row != NULL; row++)
        if ((*row)->kind == DEVICE_CPU)
            assert_ptr_equal(choose_network(CNN_F32, (*row)->name), *row);
}

static void an_unknown_name_is_refused_with_a_list(void **state)
{
    (void)state;
    assert_null(choose_network(CNN_F32, "cereal"));
    assert_logged("--kernel cereal: no such kernel");
    assert_logged(" serial");
}

/* ---- all tables ---- */

static bool is_complete(const backend_table_t *table)
{
    return table->rows[0] != NULL && table->takes != NULL && table->create != NULL &&
           table->refuse != NULL;
}

/* A row's name is unique for its kind of device, and its rate is known. */
static void assert_rows_are_told_apart(const backend_table_t *table)
{
    for (const backend_t *const *row = table->rows; *row != NULL; row++) {
        assert_ptr_equal(backend_find(table, (*row)->name, (*row)->kind), *row);
        assert_true((*row)->rate > 0);
    }
    assert_non_null(backend_find(table, NULL, DEVICE_CPU));
}

/* Rows of these are chosen and begun apart. */
static bool opens_rows(const backend_table_t *table)
{
    return table != &aligner_table && table != &mesh_table;
}

static void every_table_has_rows_for_the_cpu_with_names_of_their_own(void **state)
{
    (void)state;
    for (const backend_table_t *const *t = backend_tables; *t != NULL; t++) {
        assert_rows_are_told_apart(*t);
        assert_true(!opens_rows(*t) || is_complete(*t));
    }
    assert_rows_are_told_apart(&part_table);
    assert_true(is_complete(&part_table));
}

/* What the table of algorithms declares to be divisible has a kernel, and nothing else.
 */
static void the_divisible_algorithms_have_kernels_of_parts(void **state)
{
    (void)state;
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        const graph_spec_t spec = {.algorithm = (graph_algorithm_t)a};
        const part_context_t context = {.spec = &spec};

        for (const backend_t *const *row = part_table.rows; *row != NULL; row++)
            assert_int_equal(part_table.takes(*row, &context),
                             graph_is_divisible(graph_info(spec.algorithm)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_definition_is_used_only_by_name),
        cmocka_unit_test(an_unknown_kernel_of_graphs_is_refused_with_those_that_exist),
        cmocka_unit_test(the_first_of_the_device_is_chosen),
        cmocka_unit_test(serial_runs_what_others_do_not),
        cmocka_unit_test(a_backend_is_found_by_its_name),
        cmocka_unit_test(an_unknown_name_is_refused_with_a_list),
        cmocka_unit_test(every_table_has_rows_for_the_cpu_with_names_of_their_own),
        cmocka_unit_test(the_divisible_algorithms_have_kernels_of_parts),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
