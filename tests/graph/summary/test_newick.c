/*
 * test_newick.c - dendrograms by hand.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/spanning_forest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const letters[] = {"a", "b", "c", "d", "e"};

static const char *name_in(const void *ctx, int32_t node)
{
    return ((const char *const *)ctx)[node];
}

static double root_distance = 1;

static void assert_tree(const char *const *names, int32_t n, newick_edge_t *edges,
                        int64_t n_edges, const char *want)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    assert_non_null(to);
    assert_int_equal(newick_write(to, n, edges, n_edges, root_distance, name_in, names),
                     ST_OK);
    fclose(to);
    assert_string_equal(text, want);
    free(text);
}

static void trees_at_an_infinite_distance_are_written_one_by_one(void **state)
{
    newick_edge_t edges[] = {{1, 3, 6}, {0, 4, 2}};

    (void)state;
    root_distance = INFINITY;
    assert_tree(letters, 5, edges, 2, "(a:1,e:1);\n(b:3,d:3);\nc;\n");
    root_distance = 1;
}

static void a_node_is_at_half_the_distance_of_its_children(void **state)
{
    newick_edge_t edges[] = {{0, 1, 0.25}};

    (void)state;
    assert_tree(letters, 2, edges, 1, "(a:0.125,b:0.125);\n");
}

static void near_leaves_are_joined_first(void **state)
{
    newick_edge_t edges[] = {{0, 1, 0.5}, {1, 2, 0.25}};

    (void)state;
    assert_tree(letters, 3, edges, 2, "(a:0.25,(b:0.125,c:0.125):0.125);\n");
}

static void equal_distances_are_joined_by_number(void **state)
{
    newick_edge_t edges[] = {{1, 3, 0.25}, {1, 2, 0.25}, {0, 1, 0.25}};

    (void)state;
    assert_tree(letters, 4, edges, 3, "(((a:0.125,b:0.125):0,c:0.125):0,d:0.125);\n");
}

static void trees_that_no_edge_joins_meet_at_the_root(void **state)
{
    newick_edge_t edges[] = {{3, 4, 0}};

    (void)state;
    assert_tree(letters, 5, edges, 1, "(((a:0.5,b:0.5):0,c:0.5):0,(d:0,e:0):0.5);\n");
}

static void names_with_special_characters_are_quoted(void **state)
{
    const char *names[] = {"x;size=5", "it's", "", "E_coli|K-12.1"};
    newick_edge_t edges[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}};

    (void)state;
    assert_tree(names, 4, edges, 3,
                "((('x;size=5':0.5,'it''s':0.5):0,'':0.5):0,E_coli|K-12.1:0.5);\n");
}

static void one_leaf_is_a_tree_and_none_is_nothing(void **state)
{
    (void)state;
    assert_tree(letters, 1, NULL, 0, "a;\n");
    assert_tree(letters, 0, NULL, 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_at_half_the_distance_of_its_children),
        cmocka_unit_test(trees_at_an_infinite_distance_are_written_one_by_one),
        cmocka_unit_test(near_leaves_are_joined_first),
        cmocka_unit_test(equal_distances_are_joined_by_number),
        cmocka_unit_test(trees_that_no_edge_joins_meet_at_the_root),
        cmocka_unit_test(names_with_special_characters_are_quoted),
        cmocka_unit_test(one_leaf_is_a_tree_and_none_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
