/*
 * test_csr_rows.c - rows of a part of a graph, out of a file and reversed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/graphfile/csr_file.h"
#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"

static char path[PATH_BYTES];

static int setup(void **state)
{
    int failed = dir_make(state);

    dir_file("graph.h5", path);
    h5util_init();
    return failed;
}

/* Write arcs 0 -> 1, 0 -> 2, 1 -> 2, 3 -> 0, 3 -> 2 and a last target. */
static void write_graph(int32_t last)
{
    csr_t g;

    assert_int_equal(csr_create(4, 6, false, false, &g), ST_OK);
    memcpy(g.first, (int64_t[]){0, 2, 3, 3, 6}, 5 * sizeof(int64_t));
    memcpy(g.to, (int32_t[]){1, 2, 2, 0, 2, last}, 6 * sizeof(int32_t));
    assert_int_equal(csr_file_write(path, true, &g, NULL, NULL), ST_OK);
    csr_free(&g);
}

static void a_part_has_its_rows_in_both_directions(void **state)
{
    int64_t in_first[5];
    csr_rows_t out, in, again;
    csr_file_t *file;
    csr_t nodes;

    (void)state;
    write_graph(3);
    assert_int_equal(csr_file_open(path, &nodes, &file), ST_OK);
    assert_true(nodes.n_nodes == 4 && nodes.n_arcs == 6 && nodes.to == NULL);
    assert_int_equal(csr_rows_take_out(csr_file_arcs(file), 1, 4, &out), ST_OK);
    assert_memory_equal(out.first, ((int64_t[]){0, 1, 1, 4}), 4 * sizeof(int64_t));
    assert_memory_equal(out.to, ((int32_t[]){2, 0, 2, 3}), 4 * sizeof(int32_t));
    assert_int_equal(csr_rows_count_in(csr_file_arcs(file), in_first), ST_OK);
    assert_memory_equal(in_first, ((int64_t[]){0, 1, 2, 5, 6}), sizeof(in_first));
    assert_int_equal(csr_rows_take_in(csr_file_arcs(file), in_first, 1, 4, &in), ST_OK);
    assert_memory_equal(in.first, ((int64_t[]){0, 1, 4, 5}), 4 * sizeof(int64_t));
    assert_memory_equal(in.to, ((int32_t[]){0, 0, 1, 3, 3}), 5 * sizeof(int32_t));
    assert_false(csr_rows_equal(&in, &out));
    assert_int_equal(csr_rows_take_out(csr_file_arcs(file), 1, 4, &again), ST_OK);
    assert_true(csr_rows_equal(&again, &out));
    csr_rows_free(&out);
    csr_rows_free(&in);
    csr_rows_free(&again);
    csr_file_close(file);
    csr_free(&nodes);
}

static void targets_that_do_not_exist_are_refused_by_the_part_that_has_them(void **state)
{
    const int32_t wrong[] = {4, -1, 1}; /* the last one descends */

    (void)state;
    for (int i = 0; i < 3; i++) {
        int64_t in_first[5];
        csr_rows_t rows = {0};
        csr_file_t *file;
        csr_t nodes;

        write_graph(wrong[i]);
        assert_int_equal(csr_file_open(path, &nodes, &file), ST_OK);
        assert_int_equal(csr_rows_take_out(csr_file_arcs(file), 0, 3, &rows), ST_OK);
        csr_rows_free(&rows);
        assert_int_equal(csr_rows_count_in(csr_file_arcs(file), in_first), ST_OK);
        capture_start();
        assert_int_equal(csr_rows_take_out(csr_file_arcs(file), 3, 4, &rows), ST_EINPUT);
        capture_stop();
        assert_logged("at value 6; give a graph that `ribogrid graph make` wrote");
        csr_file_close(file);
        csr_free(&nodes);
    }
}

static void ranges_may_be_empty(void **state)
{
    csr_rows_t rows;
    csr_file_t *file;
    csr_t nodes;

    (void)state;
    write_graph(3);
    assert_int_equal(csr_file_open(path, &nodes, &file), ST_OK);
    assert_int_equal(csr_rows_take_out(csr_file_arcs(file), 4, 4, &rows), ST_OK);
    assert_int_equal(rows.first[0], 0);
    csr_rows_free(&rows);
    csr_file_close(file);
    csr_free(&nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_has_its_rows_in_both_directions),
        cmocka_unit_test(targets_that_do_not_exist_are_refused_by_the_part_that_has_them),
        cmocka_unit_test(ranges_may_be_empty),
    };

    return cmocka_run_group_tests(tests, setup, dir_remove);
}
