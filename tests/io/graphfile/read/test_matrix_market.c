/*
 * test_matrix_market.c - Matrix Market files that are read, and that are refused.
 */
#include "tests/support/unit_test.h"

#include "tests/io/graphfile/read/graph_outcome.h"

#define BANNER(kind) "%%MatrixMarket matrix coordinate " kind "\n"

static void a_pattern_has_no_weights_and_its_size_declares_nodes(void **state)
{
    graph_edges_t e = edges_of("a.mtx", BANNER("pattern general") "% comment\n\n4 4 2\n"
                                                                  "2 1\n\n4 4\n");

    (void)state;
    assert_int_equal(e.n_declared, 4);
    assert_int_equal(e.first_id, 1);
    assert_true(e.is_directed);
    assert_edges(&e, 2, (int64_t[]){2, 1, 1, 4, 4, 1});
}

static void integers_are_weights_and_real_numbers_are_values(void **state)
{
    graph_edges_t e = edges_of("a.mtx", BANNER("INTEGER Symmetric") "3 3 2\r\n"
                                                                    "2 1 7\r\n"
                                                                    "3\t1\t0\r\n");

    (void)state;
    assert_false(e.is_directed);
    assert_non_null(e.weight);
    assert_edges(&e, 2, (int64_t[]){2, 1, 7, 3, 1, 0});
    e = edges_of("a.mtx", BANNER("real general") "2 2 3\n1 2 -0.25\n2 1 1e3\n2 2 -0\n");
    assert_true(e.value[0] == -0.25 && e.value[1] == 1000);
    assert_true(e.value[2] == 0 && !__builtin_signbit(e.value[2]));
    graph_edges_free(&e);
}

static void negative_and_large_integers_make_all_of_them_values(void **state)
{
    graph_edges_t e =
        edges_of("a.mtx", BANNER("integer general") "2 2 2\n1 2 5\n2 1 -3\n");

    (void)state;
    assert_null(e.weight);
    assert_edges(&e, 2, (int64_t[]){1, 2, 5, 2, 1, -3});
    e = edges_of("a.mtx", BANNER("integer general") "2 2 1\n1 2 2147483648\n");
    assert_edges(&e, 1, (int64_t[]){1, 2, INT64_C(2147483648)});
}

static void a_skew_symmetric_entry_is_two_arcs(void **state)
{
    graph_edges_t e =
        edges_of("a.mtx", BANNER("integer skew-symmetric") "2 2 1\n2 1 5\n");

    (void)state;
    assert_true(e.is_directed);
    assert_edges(&e, 2, (int64_t[]){2, 1, 5, 1, 2, -5});
}

static void a_matrix_of_no_nodes_is_read(void **state)
{
    graph_edges_t e = edges_of("a.mtx", BANNER("real general") "0 0 0\n");

    (void)state;
    assert_int_equal(e.n_declared, 0);
    assert_edges(&e, 0, NULL);
}

static void other_matrices_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.mtx", "", 0, "the file is empty");
    assert_text_refused("a.mtx", "3 3\n.646\n", 1, "the banner is missing");
    assert_text_refused("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n", 1,
                        "no matrix in coordinate form");
    assert_text_refused("a.mtx", BANNER("complex general"), 1, "type 'complex'");
    assert_text_refused("a.mtx", BANNER("real hermitian"), 1, "symmetry 'hermitian'");
    assert_text_refused("a.mtx", BANNER("pattern skew-symmetric"), 1,
                        "a pattern has none");
    assert_text_refused("a.mtx", BANNER("real general x"), 1, "unexpected 'x'");
}

static void wrong_sizes_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.mtx", BANNER("real general") "% a\n", 2, "before its size");
    assert_text_refused("a.mtx", BANNER("real general") "3 4 0\n", 2,
                        "3 rows and 4 columns");
    assert_text_refused("a.mtx", BANNER("real general") "3 3\n", 2,
                        "number of entries is missing");
    assert_text_refused("a.mtx", BANNER("real general") "-3 3 1\n", 2, "'-3' is not an");
    assert_text_refused("a.mtx", BANNER("real general") "2147483648 3 1\n", 2,
                        "'2147483648' is not an integer of 0 .. 2147483647");
    assert_text_refused("a.mtx", BANNER("real general") "3 3 99999999999999999999\n", 2,
                        "'99999999999999999999' is not an integer");
    assert_text_refused("a.mtx", BANNER("real general") "2 2 2\n1 1 3\n", 3,
                        "ends too early, but line 2 announces 2 entries");
    assert_text_refused("a.mtx", BANNER("real general") "2 2 1\n1 1 3\n1 2 4\n", 4,
                        "one entry too many");
}

static void wrong_entries_are_refused(void **state)
{
    (void)state;
    assert_text_refused("a.mtx", BANNER("real general") "2 2 1\n0 1 3\n", 3,
                        "the row '0' is not an integer of 1 .. 2");
    assert_text_refused("a.mtx", BANNER("real general") "2 2 1\n1 3 3\n", 3,
                        "the column '3' is not");
    assert_text_refused("a.mtx", BANNER("real general") "2 2 1\n1 2\n", 3,
                        "the value is missing");
    assert_text_refused("a.mtx", BANNER("real general") "2 2 1\n1 2 nan\n", 3,
                        "'nan' is not a finite number");
    assert_text_refused("a.mtx", BANNER("real general") "2 2 1\n1 2 1e999\n", 3,
                        "'1e999' is not a finite number");
    assert_text_refused("a.mtx", BANNER("real general") "2 2 1\n1 2 0x1p3\n", 3,
                        "'0x1p3' is not a finite number");
    assert_text_refused("a.mtx", BANNER("integer general") "2 2 1\n1 2 inf\n", 3,
                        "'inf' is not an integer");
    assert_text_refused("a.mtx", BANNER("pattern general") "2 2 1\n1 2 5\n", 3,
                        "unexpected '5'");
    assert_text_refused("a.mtx", BANNER("real skew-symmetric") "2 2 1\n1 1 5\n", 3,
                        "no entries on its diagonal");
}

static void values_that_are_not_read_may_be_anything(void **state)
{
    const graph_read_options_t unread = {.weights = GRAPH_WEIGHTS_UNREAD};
    const int64_t due[] = {1, 2, 1};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.mtx", BANNER("real general") "2 2 1\n1 2 nan\n",
                                     &unread, &e),
                     ST_OK);
    assert_null(e.value);
    assert_edges(&e, 1, due);
    assert_int_equal(read_graph_with("a.mtx", BANNER("integer general") "2 2 1\n1 2 x\n",
                                     &unread, &e),
                     ST_OK);
    assert_edges(&e, 1, due);
    assert_int_equal(read_graph_with("a.mtx",
                                     BANNER("complex general") "2 2 1\n1 2 1 -1\n",
                                     &unread, &e),
                     ST_OK);
    assert_edges(&e, 1, due);
}

static void lengths_are_not_negative(void **state)
{
    const graph_read_options_t lengths = {.weights = GRAPH_WEIGHTS_LENGTHS};

    (void)state;
    assert_refused_with("a.mtx", BANNER("real general") "2 2 2\n1 2 3\n2 1 -3\n",
                        &lengths, 4, "the value -3 is negative");
    assert_refused_with("a.mtx", BANNER("real skew-symmetric") "2 2 1\n2 1 3\n", &lengths,
                        3, "the reverse of this entry of a skew-symmetric matrix");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_has_no_weights_and_its_size_declares_nodes),
        cmocka_unit_test(integers_are_weights_and_real_numbers_are_values),
        cmocka_unit_test(negative_and_large_integers_make_all_of_them_values),
        cmocka_unit_test(a_skew_symmetric_entry_is_two_arcs),
        cmocka_unit_test(a_matrix_of_no_nodes_is_read),
        cmocka_unit_test(other_matrices_are_refused),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(wrong_entries_are_refused),
        cmocka_unit_test(values_that_are_not_read_may_be_anything),
        cmocka_unit_test(lengths_are_not_negative),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
