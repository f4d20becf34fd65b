/*
 * test_edge_list.c - edge lists that are read, and that are refused.
 */
#include "tests/support/unit_test.h"

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
    assert_text_refused("a.txt", ">seq\nACGT\n", 1, "the target is missing");
}

/* Read a text and compare the names, and the edges by name: "a b 0.5, ...". */
static void assert_named(const char *file, const char *text, const char *names,
                         const char *due)
{
    graph_edges_t e;
    char got[400] = "", list[400] = "";

    assert_int_equal(read_graph_text(file, text, &e), ST_OK);
    assert_non_null(e.name);
    assert_int_equal(e.first_id, 1);
    for (int64_t i = 0; i < e.n_declared; i++)
        sprintf(list + strlen(list), "%s%s", i > 0 ? "|" : "", e.name[i]);
    for (int64_t i = 0; i < e.n; i++) {
        sprintf(got + strlen(got), "%s%s>%s", i > 0 ? "|" : "", e.name[e.source[i] - 1],
                e.name[e.target[i] - 1]);
        if (e.weight != NULL || e.value != NULL)
            sprintf(got + strlen(got), "=%g",
                    e.weight != NULL ? e.weight[i] : e.value[i]);
    }
    assert_string_equal(list, names);
    assert_string_equal(got, due);
    graph_edges_free(&e);
}

static void nodes_without_ids_have_names_in_ascending_order(void **state)
{
    (void)state;
    assert_named("a.txt", "b a 0.7\na 10 2\n", "10|a|b", "b>a=0.7|a>10=2");
    assert_logged_nothing();
    assert_named("a.csv", "b,a,0.7\r\na,Zea mays,2\r\n", "Zea mays|a|b",
                 "b>a=0.7|a>Zea mays=2");
    assert_named("a.tsv", "b\tZea mays\nZea mays\t,\n", ",|Zea mays|b",
                 "b>Zea mays|Zea mays>,");
}

static void columns_are_separated_by_what_the_first_line_has(void **state)
{
    graph_edges_t e = edges_of("a.csv", "1,2,5\n 2 , 3,0\n");

    (void)state;
    assert_edges(&e, 2, (int64_t[]){1, 2, 5, 2, 3, 0});
    e = edges_of("a", "1\t2 5\n2\t3 7\n3 4\t9\n"); /* as `graph make` writes them */
    assert_edges(&e, 3, (int64_t[]){1, 2, 5, 2, 3, 7, 3, 4, 9});
    assert_int_equal(read_graph_text("a", "x\ty\tw\n1\t2 5\n", &e), ST_OK);
    assert_edges(&e, 1, (int64_t[]){1, 2, 5});
    assert_text_refused("a", "1\t-2 5\n", 1, "the target '-2' is not an integer");
    e = edges_of("a", "1, 2\n2,3\n");
    assert_edges(&e, 2, (int64_t[]){1, 2, 1, 2, 3, 1});
    e = edges_of("a.tsv", "1\t2\t5\n2\t3\t7\n3\t4\t9\n");
    assert_edges(&e, 3, (int64_t[]){1, 2, 5, 2, 3, 7, 3, 4, 9});
    assert_named("a", "a, b, 1\nb,c d,2\n", "a|b|c d", "a>b=1|b>c d=2");
    assert_named("a", "a b\tc\nc\td,e\n", "a b|c|d,e", "a b>c|c>d,e");
    assert_named("a", "a,b c\nc d\n", "a,b|c|d", "a,b>c|c>d");
    assert_named("a", "\"a b\",\"c,d\"\ne,f\n", "a b|c,d|e|f", "a b>c,d|e>f");
}

static void quotes_hold_what_separates(void **state)
{
    (void)state;
    assert_named("a.csv", "\"a,b\",\" c\",0.5\n\"say \"\"x\"\"\" , y,\"2\"\n",
                 " c|a,b|say \"x\"|y", "a,b> c=0.5|say \"x\">y=2");
    assert_named("a.txt", "\"a b\" c 1\n\"1\" \"2\" 2\n", "1|2|a b|c", "a b>c=1|1>2=2");
    assert_text_refused("a.csv", "a,b\n\"c,d\n", 2, "a quote has no end");
    assert_text_refused("a.csv", "a,b\n\"c\"x,d\n", 2, "text behind a quote");
    assert_text_refused("a.csv", "a,b\n\"c\td\",d\n", 2, "the name of the source has a");
}

static void a_header_is_no_edge(void **state)
{
    graph_edges_t e = edges_of("a.csv", "source,target,weight\n1,2,5\n2,3,6\n");

    (void)state;
    assert_edges(&e, 2, (int64_t[]){1, 2, 5, 2, 3, 6});
    assert_named("a.csv", "From,To\na,b\n", "a|b", "a>b");
    assert_logged_nothing();
    assert_named("a.tsv", "\"gene A\"\tgene B\tscore\na\tb\t0.5\nb\tc\t1\n", "a|b|c",
                 "a>b=0.5|b>c=1");
    assert_logged_one_line();
    assert_logged("/a.tsv:1: taken for a header, not for an edge");
    assert_int_equal(read_graph_text("a.txt", "FromNodeId\tToNodeId\n3\t4\n4 5\n5 6\n",
                                     &e),
                     ST_OK);
    assert_logged("/a.txt:1: taken for a header");
    assert_edges(&e, 3, (int64_t[]){3, 4, 1, 4, 5, 1, 5, 6, 1});
    assert_int_equal(read_graph_text("a.csv", "a,b,score\n3,4,7\n4,5,8\n", &e), ST_OK);
    assert_non_null(e.weight);
    assert_edges(&e, 2, (int64_t[]){3, 4, 7, 4, 5, 8});
    assert_named("a.csv", "source,target,1\na,b,2\n", "a|b|source|target",
                 "source>target=1|a>b=2");
}

static void a_bad_weight_does_not_make_a_header(void **state)
{
    (void)state;
    assert_text_refused("a.csv", "a,b,nan\nc,d,1\n", 1, "'nan' is not a finite number");
    assert_text_refused("a.csv", "a,b,x\nc,d,y\n", 1,
                        "the weight is not a finite number");
    assert_text_refused("a.csv", "a,b,x\n", 1, "the weight is not a finite number");
    assert_text_refused("a.csv", "1,2,x\n1,2,3\n", 1, "the weight 'x' is not a finite");
}

static void other_tables_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.csv", "a,b,1\n,b,1\n", 2, "the source is missing");
    assert_text_refused("a.csv", "a,b,1\na,,1\n", 2, "the target is missing");
    assert_text_refused("a.csv", "a,b\nb,c\nc\n", 3, "the target is missing");
    assert_text_refused("a.csv", "a;b\n", 1,
                        "the target is missing; write SOURCE, TARGET and perhaps WEIGHT, "
                        "separated by commas, or name the format");
    assert_text_refused("a.csv", "a,b,1\na,c,\n", 2,
                        "no weight, unlike the lines before");
    assert_text_refused("a.csv", "a,b,1,x\n", 1, "unexpected 'x' behind");
    assert_text_refused("a.csv", "1,2\n2,b\n", 2, "the target 'b' is not an integer");
    assert_text_refused("a.csv", "1,2\n2,3 4\n", 2, "unexpected '4'");
}

static void names_may_look_like_ids(void **state)
{
    const graph_read_options_t named = {.has_names = true};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.csv", "007,7\n7,x\n", &named, &e), ST_OK);
    assert_int_equal(e.n_declared, 3);
    assert_string_equal(e.name[0], "007");
    assert_edges(&e, 2, (int64_t[]){1, 2, 1, 2, 3, 1});
}

static void weights_that_are_not_read_may_be_anything(void **state)
{
    const graph_read_options_t unread = {.weights = GRAPH_WEIGHTS_UNREAD};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.txt", "1 2 nan\n2 3 -x\n3 4\n", &unread, &e),
                     ST_OK);
    assert_null(e.weight);
    assert_null(e.value);
    assert_edges(&e, 3, (int64_t[]){1, 2, 1, 2, 3, 1, 3, 4, 1});
    assert_int_equal(read_graph_with("a.csv", "a,b,very heavy\nb,c,light\n", &unread, &e),
                     ST_OK);
    assert_edges(&e, 2, (int64_t[]){1, 2, 1, 2, 3, 1});
    assert_int_equal(read_graph_with("a.txt", "3 2\n1 2 x\n3 1 y\n", &unread, &e), ST_OK);
    assert_logged("/a.txt:1: taken for the numbers of nodes and edges");
    assert_edges(&e, 2, (int64_t[]){1, 2, 1, 3, 1, 1});
    assert_refused_with("a.txt", "1 2 3 4\n", &unread, 1, "unexpected '4'");
}

static void lengths_are_not_negative(void **state)
{
    const graph_read_options_t lengths = {.weights = GRAPH_WEIGHTS_LENGTHS};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.txt", "1 2 0.5\n2 3 -0\n", &lengths, &e), ST_OK);
    assert_true(e.value[1] == 0);
    graph_edges_free(&e);
    assert_refused_with("a.txt", "1 2 0.5\n2 3 -1e-9\n", &lengths, 2,
                        "the weight -1.0000000000000001e-09 is negative");
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
        cmocka_unit_test(nodes_without_ids_have_names_in_ascending_order),
        cmocka_unit_test(columns_are_separated_by_what_the_first_line_has),
        cmocka_unit_test(quotes_hold_what_separates),
        cmocka_unit_test(a_header_is_no_edge),
        cmocka_unit_test(a_bad_weight_does_not_make_a_header),
        cmocka_unit_test(other_tables_are_refused),
        cmocka_unit_test(names_may_look_like_ids),
        cmocka_unit_test(weights_that_are_not_read_may_be_anything),
        cmocka_unit_test(lengths_are_not_negative),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
