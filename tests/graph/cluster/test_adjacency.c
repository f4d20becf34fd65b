/*
 * test_adjacency.c - unit tests of sorted neighbour lists.
 */
#include "tests/support/unit_test.h"

#include <stdio.h>

#include "tests/graph/cluster/graph_case.h"

static void edges_in_any_order_and_direction_give_sorted_neighbours(void **state)
{
    const edge_t edges[] = {{3, 1, 7, 10}, {0, 3, 8, 10}, {3, 2, 9, 10}};
    adjacency_t *g = NULL;

    (void)state;
    assert_int_equal(adjacency_create(5, edges, 3, &g), ST_OK);
    assert_int_equal(g->start[1] - g->start[0], 1);
    assert_int_equal(g->start[4] - g->start[3], 3);
    assert_int_equal(g->start[5], 6); /* node 4 has none */
    for (int32_t k = 0; k < 3; k++)
        assert_int_equal(g->neighbour[g->start[3] + k].node, k);
    assert_int_equal(g->neighbour[g->start[3]].matches, 8);
    assert_int_equal(g->neighbour[g->start[2]].matches, 9);
    adjacency_destroy(g);
}

static void every_edge_is_in_two_lists(void **state)
{
    rng_t rng = rng_seed(1);
    graph_case_t *c = graph_case_random(&rng, 40, 30);
    adjacency_t *g = graph_case_adjacency(c);

    (void)state;
    assert_int_equal(g->start[c->n], 2 * c->n_edges);
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t k = g->start[i]; k < g->start[i + 1]; k++) {
            const edge_t *e = c->between[i][g->neighbour[k].node];

            assert_non_null(e);
            assert_int_equal(e->matches, g->neighbour[k].matches);
            assert_int_equal(e->columns, g->neighbour[k].columns);
            assert_true(k == g->start[i] ||
                        g->neighbour[k - 1].node < g->neighbour[k].node);
        }
    adjacency_destroy(g);
    free(c);
}

static void an_empty_graph_is_valid(void **state)
{
    adjacency_t *g = NULL;

    (void)state;
    assert_int_equal(adjacency_create(0, NULL, 0, &g), ST_OK);
    assert_int_equal(g->start[0], 0);
    adjacency_destroy(g);
    adjacency_destroy(NULL);
}

/* 2/3 and 4/6 are equal. */
static void identities_are_compared_exactly(void **state)
{
    (void)state;
    assert_int_equal(edge_compare(2, 3, 4, 6), 0);
    assert_true(edge_compare(97, 100, 969999, 1000000) > 0);
    assert_true(edge_compare(0, 5, 1, INT32_MAX) < 0);
    assert_int_equal(edge_compare(INT32_MAX, INT32_MAX, 1, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_in_any_order_and_direction_give_sorted_neighbours),
        cmocka_unit_test(every_edge_is_in_two_lists),
        cmocka_unit_test(an_empty_graph_is_valid),
        cmocka_unit_test(identities_are_compared_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
