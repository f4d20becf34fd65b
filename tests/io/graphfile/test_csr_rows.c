/*
 * test_csr_rows.c - rows of a part of a graph, out of a stream and reversed.
 */
#include "tests/support/unit_test.h"

#include "io/graphfile/csr_rows.h"
#include "tests/support/captured_log.h"

/* Arcs 0 -> 1, 0 -> 2, 1 -> 2, 3 -> 0, 3 -> 2 and a last one. */
static const int64_t first[] = {0, 2, 3, 3, 6};
static int32_t to[] = {1, 2, 2, 0, 2, 3};

static status_t read_targets(csr_arcs_t *arcs, int64_t begin, int64_t end, int32_t *out)
{
    assert_int_equal(begin, 0);
    assert_int_equal(end, arcs->n_arcs);
    memcpy(out, to, sizeof(to));
    return ST_OK;
}

static int32_t piece[CSR_ARCS_PIECE];
static csr_arcs_t arcs = {"graph.h5", 4, 6, first, piece, read_targets};

static void a_part_has_its_rows_in_both_directions(void **state)
{
    int64_t in_first[5];
    csr_rows_t out, in, again;

    (void)state;
    to[5] = 3;
    assert_int_equal(csr_rows_take_out(&arcs, 1, 4, &out), ST_OK);
    assert_memory_equal(out.first, ((int64_t[]){0, 1, 1, 4}), 4 * sizeof(int64_t));
    assert_memory_equal(out.to, ((int32_t[]){2, 0, 2, 3}), 4 * sizeof(int32_t));
    assert_int_equal(csr_rows_count_in(&arcs, in_first), ST_OK);
    assert_memory_equal(in_first, ((int64_t[]){0, 1, 2, 5, 6}), sizeof(in_first));
    assert_int_equal(csr_rows_take_in(&arcs, in_first, 1, 4, &in), ST_OK);
    assert_memory_equal(in.first, ((int64_t[]){0, 1, 4, 5}), 4 * sizeof(int64_t));
    assert_memory_equal(in.to, ((int32_t[]){0, 0, 1, 3, 3}), 5 * sizeof(int32_t));
    assert_false(csr_rows_equal(&in, &out));
    assert_int_equal(csr_rows_take_out(&arcs, 1, 4, &again), ST_OK);
    assert_true(csr_rows_equal(&again, &out));
    csr_rows_free(&out);
    csr_rows_free(&in);
    csr_rows_free(&again);
}

static void targets_that_do_not_exist_are_refused_by_the_part_that_has_them(void **state)
{
    const int32_t wrong[] = {4, -1, 1}; /* the last one descends */

    (void)state;
    for (int i = 0; i < 3; i++) {
        int64_t in_first[5];
        csr_rows_t rows = {0};

        to[5] = wrong[i];
        assert_int_equal(csr_rows_take_out(&arcs, 0, 3, &rows), ST_OK);
        csr_rows_free(&rows);
        assert_int_equal(csr_rows_count_in(&arcs, in_first), ST_OK);
        capture_start();
        assert_int_equal(csr_rows_take_out(&arcs, 3, 4, &rows), ST_EINPUT);
        capture_stop();
        assert_logged("at value 6; give a graph that `ribogrid graph make` wrote");
    }
}

static void ranges_may_be_empty(void **state)
{
    csr_rows_t rows;

    (void)state;
    to[5] = 3;
    assert_int_equal(csr_rows_take_out(&arcs, 4, 4, &rows), ST_OK);
    assert_int_equal(rows.first[0], 0);
    csr_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_has_its_rows_in_both_directions),
        cmocka_unit_test(targets_that_do_not_exist_are_refused_by_the_part_that_has_them),
        cmocka_unit_test(ranges_may_be_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
