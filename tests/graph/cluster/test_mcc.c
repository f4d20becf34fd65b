/*
 * test_mcc.c - Matthews' correlation coefficient of a partition and a graph.
 */
#include "tests/support/unit_test.h"

#include <stdio.h>

#include "graph/cluster/cluster_methods.h"

#include <math.h>

static const edge_t edges[] = {{0, 1, 1, 1}, {1, 2, 1, 1}};

/* Clusters {0,1} and {2,3}: 0-1 is a true positive, 2-3 a false positive, 1-2 a false
 * negative. */
static void pairs_are_counted_by_cluster_and_edge(void **state)
{
    const int32_t label[] = {0, 0, 2, 2};
    int64_t size[4] = {0};
    mcc_t m = mcc_count(4, label, size, edges, 2);

    (void)state;
    assert_int_equal(m.tp, 1);
    assert_int_equal(m.fp, 1);
    assert_int_equal(m.fn, 1);
    assert_int_equal(m.tn, 3);
    assert_int_equal(size[0], 2);
    assert_int_equal(size[1], 0);
    /* (1 * 3 - 1 * 1) / sqrt(2 * 2 * 4 * 4) */
    assert_float_equal(mcc_value(&m), 0.25, 1e-15);
}

static void without_a_list_all_edges_are_within_clusters(void **state)
{
    const int32_t label[] = {1, 1, 1, 3};
    int64_t size[4] = {0};
    mcc_t m = mcc_count(4, label, size, NULL, 2);

    (void)state;
    assert_int_equal(m.tp, 2);
    assert_int_equal(m.fp, 1);
    assert_int_equal(m.fn, 0);
    assert_int_equal(m.tn, 3);
}

static void without_a_wrong_pair_it_is_1_and_with_an_empty_margin_0(void **state)
{
    (void)state;
    assert_float_equal(mcc_value(&(mcc_t){.tn = 10}), 1, 0);
    assert_float_equal(mcc_value(&(mcc_t){.tp = 10}), 1, 0);
    assert_float_equal(mcc_value(&(mcc_t){0}), 1, 0);
    assert_float_equal(mcc_value(&(mcc_t){.fn = 10}), 0, 0);
    assert_float_equal(mcc_value(&(mcc_t){.tn = 10, .fn = 1}), 0, 0);
}

/* The product of the margins would exceed 64 bits from about 10^5 sequences on. */
static void unknown_numbers_have_no_coefficient(void **state)
{
    (void)state;
    assert_true(isnan(mcc_value(&(mcc_t){-1, -1, -1, -1})));
}

static void pairs_of_a_million_sequences_do_not_overflow(void **state)
{
    const int64_t many = INT64_C(500000000000);
    mcc_t m = {.tp = many / 2, .tn = many / 2, .fp = 1, .fn = 1};

    (void)state;
    assert_float_equal(mcc_value(&m), 1, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted_by_cluster_and_edge),
        cmocka_unit_test(without_a_list_all_edges_are_within_clusters),
        cmocka_unit_test(without_a_wrong_pair_it_is_1_and_with_an_empty_margin_0),
        cmocka_unit_test(unknown_numbers_have_no_coefficient),
        cmocka_unit_test(pairs_of_a_million_sequences_do_not_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
