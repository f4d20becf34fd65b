/*
 * test_csr_file.c - graphs in HDF5 come back; damaged ones are refused.
 */
#include "tests/support/unit_test.h"

#include "io/graphfile/csr_file.h"
#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"

#include <math.h>

static char path[PATH_BYTES];

static int setup(void **state)
{
    int failed = dir_make(state);

    dir_file("graph.h5", path);
    h5util_init();
    return failed;
}

/* Ids 10, 20, 30; arcs 10 -> 20, 10 -> 30, 30 -> 20. */
static csr_t small_graph(bool has_weight, bool has_value)
{
    csr_t g;

    assert_int_equal(csr_create(3, 3, has_weight, has_value, &g), ST_OK);
    memcpy(g.first, (int64_t[]){0, 2, 2, 3}, 4 * sizeof(int64_t));
    memcpy(g.to, (int32_t[]){1, 2, 1}, 3 * sizeof(int32_t));
    memcpy(g.id, (int64_t[]){10, 20, 30}, 3 * sizeof(int64_t));
    if (has_weight)
        memcpy(g.weight, (int32_t[]){7, 8, 9}, 3 * sizeof(int32_t));
    if (has_value)
        memcpy(g.value, (double[]){0.1, -2, 3e300}, 3 * sizeof(double));
    return g;
}

static void assert_comes_back(csr_t *g)
{
    csr_t got;

    assert_int_equal(csr_file_write(path, false, g, NULL, NULL, NULL), ST_OK);
    assert_int_equal(csr_file_read(path, GRAPH_WEIGHTS_ANY, &got), ST_OK);
    unlink(path);
    assert_int_equal(got.n_nodes, g->n_nodes);
    assert_int_equal(got.n_arcs, g->n_arcs);
    assert_memory_equal(got.first, g->first,
                        (size_t)(g->n_nodes + 1) * sizeof(*g->first));
    assert_memory_equal(got.to, g->to, (size_t)g->n_arcs * sizeof(*g->to));
    assert_memory_equal(got.id, g->id, (size_t)g->n_nodes * sizeof(*g->id));
    assert_true((got.weight == NULL) == (g->weight == NULL));
    assert_true((got.value == NULL) == (g->value == NULL));
    if (g->weight != NULL)
        assert_memory_equal(got.weight, g->weight,
                            (size_t)g->n_arcs * sizeof(*g->weight));
    if (g->value != NULL)
        assert_memory_equal(got.value, g->value, (size_t)g->n_arcs * sizeof(*g->value));
    csr_free(&got);
    csr_free(g);
}

static void graphs_of_all_kinds_come_back(void **state)
{
    csr_t g = small_graph(false, false);

    (void)state;
    assert_comes_back(&g);
    g = small_graph(true, false);
    assert_comes_back(&g);
    g = small_graph(false, true);
    assert_comes_back(&g);
    assert_int_equal(csr_create(0, 0, false, false, &g), ST_OK);
    assert_comes_back(&g);
}

static void symmetry_is_found_and_not_believed(void **state)
{
    csr_t g, got;

    (void)state;
    assert_int_equal(csr_create(2, 2, false, false, &g), ST_OK);
    memcpy(g.first, (int64_t[]){0, 1, 2}, 3 * sizeof(int64_t));
    g.to[0] = 1;
    assert_int_equal(csr_file_write(path, false, &g, NULL, NULL, NULL), ST_OK);
    assert_int_equal(csr_file_read(path, GRAPH_WEIGHTS_ANY, &got), ST_OK);
    assert_true(got.is_symmetric);
    csr_free(&got);
    csr_free(&g);
    unlink(path);
}

/* Write a graph that `change` has damaged, and assert that it is refused. */
static void assert_refused(void (*change)(csr_t *g), const char *reason)
{
    csr_t g = small_graph(true, false), got;
    status_t st;

    change(&g);
    assert_int_equal(csr_file_write(path, false, &g, NULL, NULL, NULL), ST_OK);
    csr_free(&g);
    capture_start();
    st = csr_file_read(path, GRAPH_WEIGHTS_ANY, &got);
    capture_stop();
    unlink(path);
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(reason);
}

static void start_late(csr_t *g)
{
    g->first[0] = 1;
}

static void end_early(csr_t *g)
{
    g->first[3] = 2;
}

static void descend(csr_t *g)
{
    g->first[1] = 3;
}

static void go_beyond(csr_t *g)
{
    g->first[1] = 100;
    g->first[2] = INT64_MAX;
}

static void repeat_id(csr_t *g)
{
    g->id[1] = 10;
}

static void make_id_negative(csr_t *g)
{
    g->id[0] = -1;
}

static void leave_the_graph(csr_t *g)
{
    g->to[2] = 3;
}

static void point_below(csr_t *g)
{
    g->to[2] = -1;
}

static void unsort(csr_t *g)
{
    g->to[0] = 2;
    g->to[1] = 1;
}

static void weigh_less(csr_t *g)
{
    g->weight[1] = -1;
}

static void use_both(csr_t *g)
{
    g->value = calloc(3, sizeof(*g->value));
}

static void use_infinity(csr_t *g)
{
    use_both(g);
    g->value[2] = INFINITY;
    free(g->weight);
    g->weight = NULL;
}

static void damaged_graphs_are_refused(void **state)
{
    (void)state;
    assert_refused(start_late, "/first does not go from 0");
    assert_refused(end_early, "/first does not go from 0 to the number of arcs");
    assert_refused(descend, "/first descends at value 3");
    assert_refused(go_beyond, "/first descends at value 4");
    assert_refused(repeat_id, "/id does not ascend at value 2");
    assert_refused(make_id_negative, "/id does not ascend at value 1");
    assert_refused(leave_the_graph, "a node that does not exist at value 3");
    assert_refused(point_below, "a node that does not exist at value 3");
    assert_refused(unsort, "/to descends within a node at value 2");
    assert_refused(weigh_less, "/weight is negative at value 2");
    assert_refused(use_both, "both weights and values");
    assert_refused(use_infinity, "/value is not finite at value 3");
}

static void weights_are_checked_where_they_are_read(void **state)
{
    csr_t g = small_graph(false, true), got;

    (void)state;
    assert_int_equal(csr_file_write(path, false, &g, NULL, NULL, NULL), ST_OK);
    capture_start();
    assert_int_equal(csr_file_read(path, GRAPH_WEIGHTS_LENGTHS, &got), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("graph.h5: /value is negative at value 2");
    g.value[1] = NAN;
    assert_int_equal(csr_file_write(path, true, &g, NULL, NULL, NULL), ST_OK);
    csr_free(&g);
    assert_int_equal(csr_file_read(path, GRAPH_WEIGHTS_UNREAD, &got), ST_OK);
    assert_null(got.value);
    assert_int_equal(got.n_arcs, 3);
    csr_free(&got);
    unlink(path);
}

static void nodes_and_targets_come_apart(void **state)
{
    csr_t g, nodes;
    int32_t to[2];

    (void)state;
    assert_int_equal(csr_create(3, 3, false, false, &g), ST_OK);
    memcpy(g.first, (int64_t[]){0, 2, 2, 3}, 4 * sizeof(int64_t));
    memcpy(g.to, (int32_t[]){1, 2, 0}, 3 * sizeof(int32_t));
    assert_int_equal(csr_file_write(path, true, &g, NULL, NULL, NULL), ST_OK);
    assert_int_equal(csr_file_read_nodes(path, &nodes), ST_OK);
    assert_true(nodes.n_nodes == 3 && nodes.n_arcs == 3 && nodes.to == NULL);
    assert_memory_equal(nodes.first, g.first, 4 * sizeof(int64_t));
    assert_int_equal(csr_file_read_targets(path, 1, 3, to), ST_OK);
    assert_memory_equal(to, g.to + 1, sizeof(to));
    capture_start();
    assert_int_not_equal(csr_file_read_targets(path, 2, 4, to), ST_OK);
    capture_stop();
    assert_logged_one_line();
    csr_free(&nodes);
    csr_free(&g);
    unlink(path);
}

static void other_files_are_refused(void **state)
{
    csr_t got;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    (void)state;
    H5Fclose(file);
    capture_start();
    assert_int_equal(csr_file_read(path, GRAPH_WEIGHTS_ANY, &got), ST_EINPUT);
    capture_stop();
    assert_logged("an HDF5 file, but not a graph");
    dir_put(path, "x", 1);
    capture_start();
    assert_int_equal(csr_file_read(path, GRAPH_WEIGHTS_ANY, &got), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_of_all_kinds_come_back),
        cmocka_unit_test(symmetry_is_found_and_not_believed),
        cmocka_unit_test(damaged_graphs_are_refused),
        cmocka_unit_test(weights_are_checked_where_they_are_read),
        cmocka_unit_test(nodes_and_targets_come_apart),
        cmocka_unit_test(other_files_are_refused),
    };

    return cmocka_run_group_tests(tests, setup, dir_remove);
}
