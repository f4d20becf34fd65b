/*
 * test_csr.c - graphs in memory: degrees, ids, reversal, symmetry.
 */
#include "tests/support/unit_test.h"

#include "io/graphfile/csr.h"
#include "tests/support/sent_object.h"

#include <string.h>

/* Arcs 10 -> 20 (weight 5), 10 -> 40 (6), 40 -> 10 (7), 40 -> 40 (8); 30 has none. */
static csr_t small_graph(void)
{
    csr_t g;

    assert_int_equal(csr_create(4, 4, true, false, &g), ST_OK);
    memcpy(g.first, (int64_t[]){0, 2, 2, 2, 4}, 5 * sizeof(int64_t));
    memcpy(g.to, (int32_t[]){1, 3, 0, 3}, 4 * sizeof(int32_t));
    memcpy(g.weight, (int32_t[]){5, 6, 7, 8}, 4 * sizeof(int32_t));
    memcpy(g.id, (int64_t[]){10, 20, 30, 40}, 4 * sizeof(int64_t));
    return g;
}

static void a_new_graph_has_zeros_and_counts_ids_from_0(void **state)
{
    csr_t g;

    (void)state;
    assert_int_equal(csr_create(3, 2, false, true, &g), ST_OK);
    assert_int_equal(g.first[3], 0);
    assert_true(g.value[1] == 0);
    assert_null(g.weight);
    assert_int_equal(g.id[2], 2);
    csr_free(&g);
    assert_null(g.first);
}

static void degrees_are_differences_of_first(void **state)
{
    csr_t g = small_graph();

    (void)state;
    assert_int_equal(csr_degree(&g, 0), 2);
    assert_int_equal(csr_degree(&g, 2), 0);
    assert_int_equal(csr_max_degree(&g), 2);
    csr_free(&g);
}

static void ids_are_found_and_others_are_not(void **state)
{
    csr_t g = small_graph();

    (void)state;
    assert_int_equal(csr_find(&g, 10), 0);
    assert_int_equal(csr_find(&g, 40), 3);
    assert_int_equal(csr_find(&g, 25), -1);
    assert_int_equal(csr_find(&g, 41), -1);
    csr_free(&g);
    assert_int_equal(csr_create(0, 0, false, false, &g), ST_OK);
    assert_int_equal(csr_find(&g, 0), -1);
    assert_int_equal(csr_max_degree(&g), 0);
    csr_free(&g);
}

static void a_reversed_graph_has_each_arc_from_its_target(void **state)
{
    csr_t g = small_graph(), t;

    (void)state;
    assert_int_equal(csr_transpose(&g, &t), ST_OK);
    assert_memory_equal(t.first, ((int64_t[]){0, 1, 2, 2, 4}), 5 * sizeof(int64_t));
    assert_memory_equal(t.to, ((int32_t[]){3, 0, 0, 3}), 4 * sizeof(int32_t));
    assert_memory_equal(t.weight, ((int32_t[]){7, 5, 6, 8}), 4 * sizeof(int32_t));
    assert_memory_equal(t.id, g.id, 4 * sizeof(int64_t));
    csr_free(&g);
    csr_free(&t);
}

static void a_graph_is_symmetric_if_each_arc_has_a_reverse_of_its_weight(void **state)
{
    csr_t g = small_graph();

    (void)state;
    assert_int_equal(csr_check_symmetric(&g), ST_OK);
    assert_false(g.is_symmetric); /* 10 -> 20 has no reverse */
    memcpy(g.first, (int64_t[]){0, 1, 2, 2, 4}, 5 * sizeof(int64_t));
    memcpy(g.to, (int32_t[]){3, 1, 0, 3}, 4 * sizeof(int32_t));
    assert_int_equal(csr_check_symmetric(&g), ST_OK);
    assert_false(g.is_symmetric); /* 10 -> 40 weighs 5, its reverse 7 */
    g.weight[2] = 5;
    assert_int_equal(csr_check_symmetric(&g), ST_OK);
    assert_true(g.is_symmetric);
    csr_free(&g);
}

static void a_target_that_is_no_node(void *object)
{
    ((const csr_t *)object)->to[3] = 4;
}

static void a_target_below_0(void *object)
{
    ((const csr_t *)object)->to[0] = -1;
}

static void a_row_that_ends_before_it_begins(void *object)
{
    ((const csr_t *)object)->first[1] = 3;
}

static void a_row_beyond_the_arcs(void *object)
{
    ((const csr_t *)object)->first[4] = 5;
}

static void a_negative_weight(void *object)
{
    ((const csr_t *)object)->weight[1] = -1;
}

static void an_impossible_graph_from_elsewhere_is_refused(void **state)
{
    void (*const changes[])(void *) = {NULL,
                                       a_target_that_is_no_node,
                                       a_target_below_0,
                                       a_row_that_ends_before_it_begins,
                                       a_negative_weight,
                                       a_row_beyond_the_arcs};

    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        csr_t g = small_graph();

        assert_int_equal(send_changed(&csr_arrays, &g, changes[i]),
                         i == 0 ? ST_OK : ST_EINPUT);
        csr_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_graph_has_zeros_and_counts_ids_from_0),
        cmocka_unit_test(degrees_are_differences_of_first),
        cmocka_unit_test(ids_are_found_and_others_are_not),
        cmocka_unit_test(a_reversed_graph_has_each_arc_from_its_target),
        cmocka_unit_test(a_graph_is_symmetric_if_each_arc_has_a_reverse_of_its_weight),
        cmocka_unit_test(an_impossible_graph_from_elsewhere_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
