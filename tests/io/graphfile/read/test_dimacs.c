/*
 * test_dimacs.c - DIMACS files that are read, and that are refused.
 */
#include "tests/support/unit_test.h"

#include "tests/io/graphfile/read/graph_outcome.h"

static void arcs_have_weights_and_declared_nodes(void **state)
{
    graph_edges_t e = edges_of("a.gr", "c comment\nc\n\np sp 4 3\na 1 2 803\nc between\n"
                                       "a 2 1 0\r\na\t4\t4\t2147483647\n");

    (void)state;
    assert_true(e.is_directed);
    assert_int_equal(e.n_declared, 4);
    assert_edges(&e, 3, (int64_t[]){1, 2, 803, 2, 1, 0, 4, 4, INT32_MAX});
    e = edges_of("x", "c any name\np sp 1 0\n");
    assert_int_equal(e.n_declared, 1);
    graph_edges_free(&e);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.gr", "", 0, "no line 'p sp NODES ARCS'");
    assert_text_refused("a.gr", "a 1 2 3\n", 1, "an arc before the sizes");
    assert_text_refused("a.gr", "p edge 3 3\n", 1, "not a shortest-path problem");
    assert_text_refused("a.gr", "p sp 3\n", 1, "number of arcs is missing");
    assert_text_refused("a.gr", "p sp 3 1 1\n", 1, "unexpected '1'");
    assert_text_refused("a.gr", "p sp 3 1\np sp 3 1\n", 2,
                        "line 1 has the sizes already");
    assert_text_refused("a.gr", "p sp 3 1\ne 1 2 3\n", 2, "a line starts with c");
    assert_text_refused("a.gr", "p sp 3 1\na 1 4 3\n", 2, "the target '4' is not");
    assert_text_refused("a.gr", "p sp 3 1\na 0 1 3\n", 2, "the source '0' is not");
    assert_text_refused("a.gr", "p sp 3 1\na 1 2\n", 2, "the weight is missing");
    assert_text_refused("a.gr", "p sp 3 1\na 1 2 -1\n", 2, "the weight '-1' is not");
    assert_text_refused("a.gr", "p sp 3 1\na 1 2 2147483648\n", 2, "is not an integer");
    assert_text_refused("a.gr", "p sp 3 1\na 1 2 3 4\n", 2, "unexpected '4'");
    assert_text_refused("a.gr", "p sp 3 2\na 1 2 3\n", 2, "the file ends too early");
    assert_text_refused("a.gr", "p sp 3 1\na 1 2 3\na 1 2 3\n", 3, "one arc too many");
}

static void weights_that_are_not_read_may_be_anything(void **state)
{
    const graph_read_options_t unread = {.weights = GRAPH_WEIGHTS_UNREAD};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.gr", "p sp 3 2\na 1 2 nan\na 2 3\n", &unread, &e),
                     ST_OK);
    assert_null(e.weight);
    assert_edges(&e, 2, (int64_t[]){1, 2, 1, 2, 3, 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcs_have_weights_and_declared_nodes),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(weights_that_are_not_read_may_be_anything),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
