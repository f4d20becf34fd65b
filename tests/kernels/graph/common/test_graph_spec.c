/*
 * test_graph_spec.c - the table of algorithms: values of columns, and lists of names.
 */
#include "tests/support/unit_test.h"

#include "kernels/graph/common/graph_spec.h"

#include <math.h>

/* Whether a graph of 5 nodes can have a value, at both ends of each range. */
static void a_column_has_values_of_its_range_only(void **state)
{
    static const struct {
        graph_values_t values;
        double below, min, max, above;
    } ranges[] = {
        {GRAPH_VALUES_FLAG, -1, 0, 1, 2},
        {GRAPH_VALUES_NODE, -1, 0, 4, 5},
        {GRAPH_VALUES_COUNT, -1, 0, 5, 6},
        {GRAPH_VALUES_REACHED, -2, -1, 4, 5},
        {GRAPH_VALUES_DISTANCE, -2, -1, 8589934588, 8589934589},
        {GRAPH_VALUES_PAIRS, -1e-9, 0, 25, 26},
        {GRAPH_VALUES_PART_OF_1, -1e-9, 0, 1 + 1e-7, 1.1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        assert_false(graph_values_have(ranges[i].values, 5, ranges[i].below));
        assert_true(graph_values_have(ranges[i].values, 5, ranges[i].min));
        assert_true(graph_values_have(ranges[i].values, 5, ranges[i].max));
        assert_false(graph_values_have(ranges[i].values, 5, ranges[i].above));
        assert_false(graph_values_have(ranges[i].values, 5, NAN));
    }
    assert_true(graph_values_have(GRAPH_VALUES_LENGTH, 5, -1));
    assert_true(graph_values_have(GRAPH_VALUES_LENGTH, 5, 1e300));
    assert_false(graph_values_have(GRAPH_VALUES_LENGTH, 5, -0.5));
    assert_false(graph_values_have(GRAPH_VALUES_LENGTH, 5, INFINITY));
    assert_true(graph_values_have(GRAPH_VALUES_ANY, 5, NAN));
    assert_true(graph_values_have(GRAPH_VALUES_ANY, 5, -INFINITY));
}

static bool takes_undirected(graph_algorithm_t algorithm, const void *arg)
{
    return graph_info(algorithm)->is_undirected == *(const bool *)arg;
}

static bool never(graph_algorithm_t algorithm, const void *arg)
{
    (void)algorithm;
    (void)arg;
    return false;
}

static void names_are_listed_in_the_tables_order(void **state)
{
    const bool yes = true;
    char names[GRAPH_NAMES_BYTES];

    (void)state;
    assert_string_equal(graph_names(takes_undirected, &yes, names),
                        "mst, mis, coloring, triangles");
    assert_string_equal(graph_names(never, NULL, names), "");
}

/* Every algorithm has a result: values of nodes, or arcs. */
static void every_row_is_filled_in(void **state)
{
    (void)state;
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        const graph_info_t *info = graph_info((graph_algorithm_t)a);

        assert_non_null(info->name);
        assert_non_null(info->summary);
        assert_true(info->n_columns > 0 || info->gives_arcs);
        assert_true(info->has_sources || !info->is_summed);
        for (int c = 0; c < info->n_columns; c++)
            assert_non_null(info->columns[c].name);
    }
}

static void distances_are_real_where_weights_are(void **state)
{
    double value = 1;
    csr_t g = {0};

    (void)state;
    assert_int_equal(graph_info_on(GRAPH_SSSP, &g)->columns[0].type, GRAPH_INT64);
    g.value = &value;
    assert_int_equal(graph_info_on(GRAPH_SSSP, &g)->columns[0].type, GRAPH_REAL);
    assert_ptr_equal(graph_info_on(GRAPH_BFS, &g), graph_info(GRAPH_BFS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_has_values_of_its_range_only),
        cmocka_unit_test(names_are_listed_in_the_tables_order),
        cmocka_unit_test(every_row_is_filled_in),
        cmocka_unit_test(distances_are_real_where_weights_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
