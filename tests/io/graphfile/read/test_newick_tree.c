/*
 * test_newick_tree.c - trees that are read, and that are refused.
 */
#include "tests/support/unit_test.h"

#include "tests/io/graphfile/read/graph_outcome.h"

static void arcs_lead_from_parents_to_children(void **state)
{
    static const int64_t arcs[] = {3, 2, 2, 3, 1, 1, 5, 4, 4, 5, 3, 3};
    graph_edges_t e = edges_of("a.nwk", "((a:1,b:2)c:3,d:4)e:9;\n");

    (void)state;
    assert_true(e.is_directed);
    assert_int_equal(e.n_declared, 5);
    assert_int_equal(e.first_id, 1);
    for (int i = 0; i < 5; i++)
        assert_string_equal(e.name[i], ((const char *[]){"a", "b", "c", "d", "e"})[i]);
    assert_edges(&e, 4, arcs);
}

static void trees_are_known_by_their_first_bracket(void **state)
{
    static const char *const texts[] = {"(a,b);", "[&R] (a,b);", "(a,b)\n;\n\n",
                                        "(\n a ,\n\tb\r\n)[c\nd] ;"};
    static const int64_t arcs[] = {3, 2, 1, 3, 1, 1};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        graph_edges_t e = edges_of("a.txt", texts[i]);

        assert_string_equal(e.name[2], "");
        assert_null(e.weight);
        assert_edges(&e, 2, arcs);
    }
}

static void names_may_be_quoted_equal_or_absent(void **state)
{
    graph_edges_t e = edges_of("a.nwk", "('it''s; (x)',,a_b,a_b)100;");
    graph_edges_t nameless = edges_of("b.nwk", "(,(,));");
    graph_edges_t leaf = edges_of("c.nwk", "a;");

    (void)state;
    assert_int_equal(e.n_declared, 5);
    assert_string_equal(e.name[0], "it's; (x)");
    assert_string_equal(e.name[1], "");
    assert_string_equal(e.name[2], "a_b");
    assert_string_equal(e.name[3], "a_b");
    assert_string_equal(e.name[4], "100");
    assert_int_equal(nameless.n_declared, 5);
    assert_null(nameless.name);
    assert_int_equal(leaf.n_declared, 1);
    assert_int_equal(leaf.n, 0);
    graph_edges_free(&e);
    graph_edges_free(&nameless);
    graph_edges_free(&leaf);
}

static void real_lengths_are_values(void **state)
{
    graph_edges_t e = edges_of("a.nwk", "(a:1e-2,b:-.5)x;");

    (void)state;
    assert_true(e.value[0] == -0.5 && e.value[1] == 0.01);
    graph_edges_free(&e);
}

/* No recursion: a million brackets are no danger. */
static void depth_is_limited_by_memory_alone(void **state)
{
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH + 3);
    graph_edges_t e;

    (void)state;
    assert_non_null(text);
    memset(text, '(', DEPTH);
    text[DEPTH] = 'a';
    memset(text + DEPTH + 1, ')', DEPTH);
    strcpy(text + 2 * DEPTH + 1, ";");
    e = edges_of("a.nwk", text);
    assert_int_equal(e.n_declared, DEPTH + 1);
    graph_edges_free(&e);
    free(text);
}

static void what_is_no_tree_is_refused(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *reason;
    } all[] = {
        {"\n", 1, "there is no tree"},
        {"(a,b", 1, "does not end, with 1 open brackets"},
        {"(a,(b,c);", 1, "ends with 1 open brackets"},
        {"(a,\nb));", 2, "')' closes no bracket"},
        {"((a,b)),\nc);", 1, "',' after the root in place of ';'; add '('"},
        {"(a b);", 1, "'b' in place of"},
        {"(a)(b);", 1, "'(' in place of"},
        {"(a,b);\n(c);", 2, "one tree per file"},
        {"('a\n');", 1, "does not end in its line"},
        {"(a,[b\n", 1, "a comment does not end"},
        {"(a:1,b);", 1, "a branch has no length"},
        {"(a,b:1);", 1, "a branch has a length"},
        {"(a:,b:1);", 1, "the length is missing"},
        {"(a:x1,b:1);", 1, "the length 'x1' is not a finite number"},
        {"(a:inf);", 1, "the length 'inf' is not a finite number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_text_refused("a.nwk", all[i].text, all[i].line, all[i].reason);
}

static void lengths_that_are_not_read_may_be_anything(void **state)
{
    const graph_read_options_t unread = {.weights = GRAPH_WEIGHTS_UNREAD};
    const graph_read_options_t lengths = {.weights = GRAPH_WEIGHTS_LENGTHS};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.nwk", "(a:x,b);", &unread, &e), ST_OK);
    assert_logged_nothing();
    assert_null(e.weight);
    graph_edges_free(&e);
    assert_refused_with("a.nwk", "(a:-1,b:1);", &lengths, 1, "is negative");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcs_lead_from_parents_to_children),
        cmocka_unit_test(trees_are_known_by_their_first_bracket),
        cmocka_unit_test(names_may_be_quoted_equal_or_absent),
        cmocka_unit_test(real_lengths_are_values),
        cmocka_unit_test(depth_is_limited_by_memory_alone),
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(lengths_that_are_not_read_may_be_anything),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
