/*
 * test_edge_list.c - edge lists that are read, and that are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/io/graphfile/read/graph_outcome.h"

static void blanks_tabs_and_crlf_separate_sparse_ids(void **state)
{
    graph_edges_t e =
        edges_of("a.txt", "# a comment\r\n30\t1412\r\n\r\n  7 \t 30\r\n% b\n"
                          "9223372036854775807 0");

    (void)state;
    assert_true(e.is_directed);
    assert_int_equal(e.n_declared, -1);
    assert_edges(&e, 3, (int64_t[]){30, 1412, 1, 7, 30, 1, INT64_MAX, 0, 1});
}

static void a_third_column_is_the_weight(void **state)
{
    graph_edges_t e = edges_of("a.txt", "1 2 5\n2 3 0\n");

    (void)state;
    assert_non_null(e.weight);
    assert_edges(&e, 2, (int64_t[]){1, 2, 5, 2, 3, 0});
    e = edges_of("a.txt", "1 2 5\n2 3 -4\n3 4 6\n");
    assert_non_null(e.value);
    assert_edges(&e, 3, (int64_t[]){1, 2, 5, 2, 3, -4, 3, 4, 6});
    e = edges_of("a.txt", "1 2 0.125\n");
    assert_true(e.value[0] == 0.125);
    graph_edges_free(&e);
}

static void a_comment_makes_the_graph_undirected(void **state)
{
    const graph_read_options_t directed = {.is_directed = true};
    graph_edges_t e = edges_of("a.txt", "# Undirected graph: x.txt\n1 2\n");
    char path[PATH_BYTES];

    (void)state;
    assert_false(e.is_directed);
    graph_edges_free(&e);
    dir_file("a.txt", path);
    dir_put(path, "# Undirected\n1 2\n", 17);
    assert_int_equal(graph_read(path, &directed, &e), ST_OK);
    unlink(path);
    assert_true(e.is_directed);
    graph_edges_free(&e);
}

static void a_first_line_of_sizes_is_no_edge(void **state)
{
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_text("a.txt", "3 4\n0 1\n1 0\n1 2\n2 1\n", &e), ST_OK);
    assert_logged_one_line();
    assert_logged("/a.txt:1: taken for the numbers of nodes and edges");
    assert_edges(&e, 4, (int64_t[]){0, 1, 1, 1, 0, 1, 1, 2, 1, 2, 1, 1});
    assert_int_equal(read_graph_text("a.txt", "3 2\n1 2 8\n3 1 9\n", &e), ST_OK);
    assert_edges(&e, 2, (int64_t[]){1, 2, 8, 3, 1, 9});
}

static void the_first_edge_of_a_path_is_an_edge(void **state)
{
    graph_edges_t e = edges_of("a.txt", "3 2\n2 1\n1 0\n");

    (void)state;
    assert_edges(&e, 3, (int64_t[]){3, 2, 1, 2, 1, 1, 1, 0, 1});
    e = edges_of("a.txt", "2 3\n2 1\n1 0\n"); /* announces one edge more */
    assert_edges(&e, 3, (int64_t[]){2, 3, 1, 2, 1, 1, 1, 0, 1});
    e = edges_of("a.txt", "2 3\n2 1\n1 0\n3 1\n"); /* 3 is larger than 2 */
    assert_edges(&e, 4, (int64_t[]){2, 3, 1, 2, 1, 1, 1, 0, 1, 3, 1, 1});
}

static void a_file_without_edges_is_an_empty_graph(void **state)
{
    graph_edges_t e = edges_of("a.txt", "# nothing\n");

    (void)state;
    assert_edges(&e, 0, NULL);
    e = edges_of("a.txt", "");
    assert_edges(&e, 0, NULL);
}

static void an_incomplete_file_gets_a_warning(void **state)
{
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_text("a.txt", "# Nodes: 3 Edges: 2\n1 2\n", &e), ST_OK);
    assert_logged("announces 2 edges, but there are 1");
    graph_edges_free(&e);
    e = edges_of("a.txt", "# Nodes: 3 Edges: 1\n1 2\n");
    graph_edges_free(&e);
}

static void other_lines_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.txt", "1 2\n1\n", 2, "the target is missing");
    assert_text_refused("a.txt", "1 2\n\nx 3\n", 3, "the source 'x' is not an integer");
    assert_text_refused("a.txt", "1 -2\n", 1, "the target '-2' is not an integer");
    assert_text_refused("a.txt", "1 2.5\n", 1, "the target '2.5' is not an integer");
    assert_text_refused("a.txt", "1 9223372036854775808\n", 1, "is not an integer of 0");
    assert_text_refused("a.txt", "1 2 3 4\n", 1, "unexpected '4'");
    assert_text_refused("a.txt", "1 2 x\n", 1, "the weight 'x' is not a finite number");
    assert_text_refused("a.txt", "1 2 3\n1 2\n", 2, "no weight, unlike the lines before");
    assert_text_refused("a.txt", "1 2\n1 2\n1 2 3\n", 3, "a weight, unlike the lines");
    assert_text_refused("a.txt", "1 2\n1 2 3\n", 1, "no weight, unlike the lines after");
    assert_text_refused("a.txt", ">seq\nACGT\n", 1, "the source '>seq' is not");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_tabs_and_crlf_separate_sparse_ids),
        cmocka_unit_test(a_third_column_is_the_weight),
        cmocka_unit_test(a_comment_makes_the_graph_undirected),
        cmocka_unit_test(a_first_line_of_sizes_is_no_edge),
        cmocka_unit_test(the_first_edge_of_a_path_is_an_edge),
        cmocka_unit_test(a_file_without_edges_is_an_empty_graph),
        cmocka_unit_test(an_incomplete_file_gets_a_warning),
        cmocka_unit_test(other_lines_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
