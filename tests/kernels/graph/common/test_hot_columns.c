/*
 * test_hot_columns.c - the columns with the most arcs, and their numbers.
 */
#include "tests/support/unit_test.h"

#include "kernels/graph/common/row_packets.h"
#include "tests/support/made_graph.h"

/* Columns 0 to 5 with 3, 0, 1, 2, 2 and 1 arcs. */
static csr_t six_columns(void)
{
    return made_graph_of("0-0 1-0 2-0 1-3 2-3 3-4 4-4 5-5 0-2", true);
}

static void assert_hot(const csr_t *g, int32_t max, int32_t n, const int32_t *node)
{
    hot_columns_t h;
    int32_t k = 0;

    assert_int_equal(hot_columns_create(g, max, &h), ST_OK);
    assert_int_equal(h.n, n);
    for (int32_t u = 0; u < g->n_nodes; u++) {
        const int is_hot = k < n && node[k] == u;

        assert_int_equal(h.number[u], is_hot ? (int32_t)g->n_nodes + k : u);
        k += is_hot;
    }
    for (k = 0; k < n; k++)
        assert_int_equal(h.node[k], node[k]);
    hot_columns_free(&h);
}

static void most_arcs_first_and_ties_together(void **state)
{
    csr_t g = six_columns();

    (void)state;
    assert_hot(&g, 0, 0, NULL);
    assert_hot(&g, 1, 1, (const int32_t[]){0});
    assert_hot(&g, 2, 1, (const int32_t[]){0});
    assert_hot(&g, 3, 3, (const int32_t[]){0, 3, 4});
    assert_hot(&g, 4, 3, (const int32_t[]){0, 3, 4});
    assert_hot(&g, 5, 5, (const int32_t[]){0, 2, 3, 4, 5});
    assert_hot(&g, 100, 5, (const int32_t[]){0, 2, 3, 4, 5});
    csr_free(&g);
}

static void arcs_to_them_are_counted(void **state)
{
    csr_t g = six_columns();
    hot_columns_t h;

    (void)state;
    assert_int_equal(hot_columns_create(&g, 3, &h), ST_OK);
    assert_int_equal(h.n_arcs, 7);
    hot_columns_free(&h);
    csr_free(&g);
}

static void a_graph_without_arcs_has_none(void **state)
{
    csr_t g = made_graph(&(made_graph_t){MADE_ISOLATED, MADE_NO_WEIGHTS, 5, false, 1});

    (void)state;
    assert_hot(&g, 3, 0, NULL);
    csr_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_arcs_first_and_ties_together),
        cmocka_unit_test(arcs_to_them_are_counted),
        cmocka_unit_test(a_graph_without_arcs_has_none),
    };

    return cmocka_run_group_tests_name("hot_columns", tests, NULL, NULL);
}
