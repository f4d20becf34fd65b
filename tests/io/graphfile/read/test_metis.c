/*
 * test_metis.c - METIS files that are read, and that are refused.
 */
#include "tests/support/unit_test.h"

#include "tests/io/graphfile/read/graph_outcome.h"

static const int64_t triangle[] = {1, 2, 5, 1, 3, 6, 2, 3, 7};
static const int64_t plain_triangle[] = {1, 2, 1, 1, 3, 1, 2, 3, 1};

static void each_edge_is_listed_once(void **state)
{
    graph_edges_t e =
        edges_of("a.graph", "% comment\n3 3\n2 3\n% between\n 3 1 \r\n1 2\n");

    (void)state;
    assert_false(e.is_directed);
    assert_int_equal(e.n_declared, 3);
    assert_int_equal(e.first_id, 1);
    assert_edges(&e, 3, plain_triangle);
}

static void all_kinds_of_weights_are_read(void **state)
{
    static const char *const plain[] = {
        "3 3 0\n2 3\n1 3\n1 2\n",         "3 3 000\n2 3\n1 3\n1 2\n",
        "3 3 10\n9 2 3\n8 1 3\n7 1 2\n",  "3 3 010 2\n9 0 2 3\n8 0 1 3\n7 0 1 2\n",
        "3 3 100\n9 2 3\n8 1 3\n7 1 2\n", "3 3 110 1\n4 9 2 3\n4 8 1 3\n4 7 1 2\n",
        "3 3 10 0\n2 3\n1 3\n1 2\n",
    };
    static const char *const weighted[] = {
        "3 3 1\n2 5 3 6\n1 5 3 7\n1 6 2 7\n",
        "3 3 001\n3 6 2 5\n3 7 1 5\n1 6 2 7\n",
        "3 3 11\n0 2 5 3 6\n0 1 5 3 7\n0 1 6 2 7\n",
        "3 3 011 2\n1 1 2 5 3 6\n1 1 1 5 3 7\n1 1 1 6 2 7\n",
        "3 3 101\n1 2 5 3 6\n1 1 5 3 7\n1 1 6 2 7\n",
        "3 3 111\n1 1 2 5 3 6\n1 1 1 5 3 7\n1 1 1 6 2 7\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        graph_edges_t e = edges_of("a.graph", plain[i]);

        assert_null(e.weight);
        assert_edges(&e, 3, plain_triangle);
    }
    for (size_t i = 0; i < sizeof(weighted) / sizeof(weighted[0]); i++) {
        graph_edges_t e = edges_of("a.graph", weighted[i]);

        assert_non_null(e.weight);
        assert_edges(&e, 3, triangle);
    }
}

static void empty_lines_are_nodes_without_neighbours(void **state)
{
    graph_edges_t e = edges_of("a.graph", "4 1\n\n3\n2\n \t\r\n");

    (void)state;
    assert_int_equal(e.n_declared, 4);
    assert_edges(&e, 1, (int64_t[]){2, 3, 1});
    e = edges_of("a.graph", "2 1\n2\n1\n\n\n"); /* and nothing after the last node */
    assert_edges(&e, 1, (int64_t[]){1, 2, 1});
    e = edges_of("a.graph", "0 0\n");
    assert_edges(&e, 0, NULL);
}

static void repeated_edges_are_kept(void **state)
{
    graph_edges_t e = edges_of("a.graph", "2 2 1\n2 8 2 4\n1 4 1 8\n");

    (void)state;
    assert_edges(&e, 2, (int64_t[]){1, 2, 4, 1, 2, 8});
}

static void more_rows_than_fit_at_first_are_read(void **state)
{
    enum { NODES = 5000, BYTES = 16 * NODES };
    char *text = malloc(BYTES);
    size_t len = (size_t)sprintf(text, "%d %d\n", NODES, NODES - 1);
    graph_edges_t e;

    (void)state;
    for (int u = 1; u <= NODES; u++) {
        if (u > 1)
            len += (size_t)sprintf(text + len, "%d ", u - 1);
        len += (size_t)(u < NODES ? sprintf(text + len, "%d\n", u + 1)
                                  : sprintf(text + len, "\n"));
    }
    e = edges_of("a.graph", text);
    assert_int_equal(e.n, NODES - 1);
    for (int u = 1; u < NODES; u++) {
        assert_int_equal(e.source[u - 1], u);
        assert_int_equal(e.target[u - 1], u + 1);
    }
    graph_edges_free(&e);
    free(text);
}

static void wrong_headers_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.graph", "", 0, "before its sizes");
    assert_text_refused("a.graph", "3\n", 1, "number of edges is missing");
    assert_text_refused("a.graph", "3 3 2\n", 1, "kind of weights 2 is unknown");
    assert_text_refused("a.graph", "3 3 20\n", 1, "kind of weights 20 is unknown");
    assert_text_refused("a.graph", "3 3 1000\n", 1, "the kind of weights '1000' is not");
    assert_text_refused("a.graph", "3 3 11 1 1\n", 1, "unexpected '1'");
    assert_text_refused("a.graph", "-1 3\n", 1, "the number of nodes '-1' is not");
}

static void wrong_rows_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.graph", "2 1\n2\n", 2, "the file ends too early");
    assert_text_refused("a.graph", "2 1\n2\n1\n1\n", 4, "one node too many");
    assert_text_refused("a.graph", "2 2\n2\n1\n", 3, "do not list each edge twice");
    assert_text_refused("a.graph", "2 1\n3\n1\n", 2, "the neighbour '3' is not");
    assert_text_refused("a.graph", "2 1\n0\n1\n", 2, "the neighbour '0' is not");
    assert_text_refused("a.graph", "2 1\n2\n2\n", 3, "node 2 is its own neighbour");
    assert_text_refused("a.graph", "2 1\n2 x\n1\n", 2, "the neighbour 'x' is not");
    assert_text_refused("a.graph", "2 1 1\n2 3 1\n1 3\n", 2, "the weight is missing");
    assert_text_refused("a.graph", "2 1 10\n\n1\n", 2, "weight of the node is missing");
}

static void edges_that_one_node_lists_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.graph", "3 1\n2 3\n\n\n", 2,
                        "node 1 lists node 2, but line 3 does not list it back");
    assert_text_refused("a.graph", "% c\n3 1\n\n\n2 1\n", 5,
                        "node 3 lists node 1, but line 3 does not list it back");
    assert_text_refused("a.graph", "3 2\n2\n1 3\n1\n", 3, "node 2 lists node 3, but");
    assert_text_refused("a.graph", "2 1 1\n2 5\n1 6\n", 2,
                        "does not list it back with the same weight");
}

static void weights_that_are_not_read_may_be_anything(void **state)
{
    const graph_read_options_t unread = {.weights = GRAPH_WEIGHTS_UNREAD};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.graph", "2 1 1\n2 -x\n1 0.5\n", &unread, &e),
                     ST_OK);
    assert_null(e.weight);
    assert_edges(&e, 1, (int64_t[]){1, 2, 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_edge_is_listed_once),
        cmocka_unit_test(all_kinds_of_weights_are_read),
        cmocka_unit_test(empty_lines_are_nodes_without_neighbours),
        cmocka_unit_test(repeated_edges_are_kept),
        cmocka_unit_test(more_rows_than_fit_at_first_are_read),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(edges_that_one_node_lists_are_refused),
        cmocka_unit_test(weights_that_are_not_read_may_be_anything),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
