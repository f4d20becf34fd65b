/*
 * test_forest.c - parents and orders of forests, and what is none.
 */
#include "tests/support/unit_test.h"

#include "kernels/graph/common/forest.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"

static void parents_come_before_their_children(void **state)
{
    static const int32_t parent[] = {1, -1, 1, 5, 5, -1, -1};
    csr_t g = made_graph_of("2>1 2>3 6>4 6>5 7>8", true);
    int place[8];
    forest_t f;

    (void)state;
    assert_int_equal(forest_create(&g, &f), ST_OK);
    assert_int_equal(f.fault, FOREST_SOUND);
    for (int i = 0; i < 7; i++)
        assert_int_equal(f.parent[i], parent[i]);
    assert_int_equal(f.parent[7], 6);
    for (int i = 0; i < 8; i++)
        place[f.order[i]] = i;
    for (int u = 0; u < 8; u++)
        assert_true(f.parent[u] < 0 || place[f.parent[u]] < place[u]);
    forest_free(&f);
    csr_free(&g);
}

static void assert_fault(const char *arcs, const char *message)
{
    csr_t g = made_graph_of(arcs, true);
    forest_t f;

    assert_int_equal(forest_create(&g, &f), ST_OK);
    capture_start();
    assert_int_equal(forest_check(&g, &f, NULL, "g.txt", "tree-heights"), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(message);
    forest_free(&f);
    csr_free(&g);
}

static void a_node_with_two_parents_is_named(void **state)
{
    (void)state;
    assert_fault("1>5 2>4 3>5 3>4", "g.txt: node 4 has two parents");
    assert_fault("1>2 1>2", "node 2 has two parents");
}

static void the_smallest_node_of_a_cycle_is_named(void **state)
{
    (void)state;
    assert_fault("1>2 9>7 7>8 8>9 7>3", "g.txt: node 7 is on a cycle");
    assert_fault("1>2 3>3", "node 3 is on a cycle");
}

static void a_node_with_a_name_is_called_by_it(void **state)
{
    csr_t g = made_graph_of("1>3 2>3", true);
    char *names[] = {"root", "other", "c"}, longer[5000] = "";
    forest_t f;

    (void)state;
    assert_int_equal(forest_create(&g, &f), ST_OK);
    capture_start();
    assert_int_equal(forest_check(&g, &f, names, "g.txt", "tree-heights"), ST_EINPUT);
    capture_stop();
    assert_logged("g.txt: node 3 ('c') has two parents");
    memset(longer, 'n', sizeof(longer) - 1);
    names[2] = longer; /* leaves the message whole */
    capture_start();
    assert_int_equal(forest_check(&g, &f, names, "g.txt", "tree-heights"), ST_EINPUT);
    capture_stop();
    assert_logged("nnn') has two parents");
    forest_free(&f);
    csr_free(&g);
}

static void an_empty_graph_is_a_forest(void **state)
{
    csr_t g = made_graph(&(made_graph_t){.shape = MADE_EMPTY});
    forest_t f;

    (void)state;
    assert_int_equal(forest_create(&g, &f), ST_OK);
    assert_int_equal(forest_check(&g, &f, NULL, "g.txt", "tree-heights"), ST_OK);
    forest_free(&f);
    csr_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_come_before_their_children),
        cmocka_unit_test(a_node_with_two_parents_is_named),
        cmocka_unit_test(the_smallest_node_of_a_cycle_is_named),
        cmocka_unit_test(a_node_with_a_name_is_called_by_it),
        cmocka_unit_test(an_empty_graph_is_a_forest),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
