/*
 * test_graph_result.c - result files of graph jobs: what is written comes back; files
 * that do not fit together are refused.
 */
#include "tests/support/unit_test.h"

#include "io/graphfile/graph_result_format.h"
#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"

#include <math.h>

static char path[PATH_BYTES];
static csr_t graph; /* ids 10, 20, 30; arcs 10 -> 20, 10 -> 30, 30 -> 20 */

static int setup(void **state)
{
    int failed = dir_make(state);

    dir_file("result.h5", path);
    if (failed != 0 || csr_create(3, 3, true, false, &graph) != ST_OK)
        return -1;
    memcpy(graph.first, (int64_t[]){0, 2, 2, 3}, 4 * sizeof(int64_t));
    memcpy(graph.to, (int32_t[]){1, 2, 1}, 3 * sizeof(int32_t));
    memcpy(graph.weight, (int32_t[]){7, 8, 9}, 3 * sizeof(int32_t));
    memcpy(graph.id, (int64_t[]){10, 20, 30}, 3 * sizeof(int64_t));
    return 0;
}

static int teardown(void **state)
{
    csr_free(&graph);
    return dir_remove(state);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static const graph_result_run_t run = {.info = {.program = "ribogrid test",
                                                .command = "ribogrid graph bfs",
                                                .n_stages = 2,
                                                .stage = {{"kernels", 2}, {"read", 0.5}}},
                                       .iterations = 3,
                                       .arcs_visited = 4,
                                       .edges_per_second = 2.5,
                                       .decisions = "1 U_B_QU\n2 U_T_BM\n"};

static graph_result_head_t bfs_head(void)
{
    return (graph_result_head_t){
        .program = "ribogrid test",
        .algorithm = "bfs",
        .job = "command=graph\n",
        .graph = &graph,
        .n_rows = 1,
        .n_columns = 2,
        .column = {{"depth", GRAPH_INT32}, {"parent", GRAPH_NODE}},
    };
}

static graph_result_writer_t *begin(const graph_result_head_t *head)
{
    graph_result_writer_t *w;

    assert_int_equal(graph_result_write_begin(path, false, head, NULL, &w), ST_OK);
    return w;
}

static void end(graph_result_writer_t *w)
{
    assert_int_equal(graph_result_write_run(w, &run), ST_OK);
    assert_int_equal(graph_result_write_end(w, ST_OK), ST_OK);
}

static void write_bfs(void)
{
    const int32_t source = 0;
    graph_result_head_t head = bfs_head();
    graph_result_writer_t *w;

    head.source = &source;
    head.n_sources = 1;
    w = begin(&head);
    assert_int_equal(graph_result_write_row(w, 0, 0, (int32_t[]){0, 1, -1}), ST_OK);
    assert_int_equal(graph_result_write_row(w, 1, 0, (int32_t[]){0, 0, -1}), ST_OK);
    end(w);
}

static graph_result_file_t *open_file(void)
{
    graph_result_file_t *f;

    assert_int_equal(graph_result_read_open(path, &f), ST_OK);
    return f;
}

static void results_that_are_not_finite_are_neither_written_nor_read(void **state)
{
    graph_result_head_t head = bfs_head();
    double rank[] = {0.5, NAN, 0.25};
    graph_result_writer_t *w;
    graph_result_file_t *f;
    hid_t file, data;

    (void)state;
    head.n_columns = 1;
    head.column[0] = (graph_result_column_t){"rank", GRAPH_REAL};
    w = begin(&head);
    capture_start();
    assert_int_equal(graph_result_write_row(w, 0, 0, rank), ST_EINPUT);
    capture_stop();
    assert_logged("rank of node 20 is nan, which no result may hold");
    rank[1] = 1;
    assert_int_equal(graph_result_write_row(w, 0, 0, rank), ST_OK);
    end(w);
    rank[1] = INFINITY;
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    data = H5Dopen2(file, "/nodes/rank", H5P_DEFAULT);
    assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rank) >=
                0);
    H5Dclose(data);
    H5Fclose(file);
    f = open_file();
    capture_start();
    assert_int_equal(graph_result_read_values(f, 0, 0, 0, 3, rank), ST_EINPUT);
    capture_stop();
    assert_logged("/nodes/rank is not finite at value 2");
    graph_result_read_close(f);
}

static void counts_come_back_sample_by_sample(void **state)
{
    static const char *const samples[] = {"soil", "sea"};
    static const int64_t counts[2][3] = {{3, INT64_MAX, 0}, {0, 1, 2}};
    graph_result_head_t head = bfs_head();
    const graph_result_info_t *info;
    graph_result_writer_t *w;
    graph_result_file_t *f;
    int64_t got[3];

    (void)state;
    head.n_columns = 0;
    head.sample = samples;
    head.n_samples = 2;
    w = begin(&head);
    for (int s = 1; s >= 0; s--)
        assert_int_equal(graph_result_write_counts(w, s, counts[s]), ST_OK);
    end(w);
    f = open_file();
    info = graph_result_read_info(f);
    assert_int_equal(info->n_samples, 2);
    for (int s = 0; s < 2; s++) {
        assert_string_equal(info->sample[s], samples[s]);
        assert_int_equal(graph_result_read_counts(f, s, 0, 3, got), ST_OK);
        assert_memory_equal(got, counts[s], sizeof(got));
    }
    assert_int_equal(graph_result_read_counts(f, 1, 1, 2, got), ST_OK);
    assert_int_equal(got[0], 1);
    graph_result_read_close(f);
}

static void columns_come_back_with_original_ids(void **state)
{
    graph_result_file_t *f;
    const graph_result_info_t *i;
    int32_t depth[3];
    int64_t parent[3];

    (void)state;
    write_bfs();
    f = open_file();
    i = graph_result_read_info(f);
    assert_string_equal(i->program, "ribogrid test");
    assert_string_equal(i->algorithm, "bfs");
    assert_string_equal(i->job, "command=graph\n");
    assert_int_equal(i->n_nodes, 3);
    assert_memory_equal(i->id, graph.id, sizeof(parent));
    assert_null(i->name);
    assert_int_equal(i->n_sources, 1);
    assert_int_equal(i->source[0], 10);
    assert_int_equal(i->n_rows, 1);
    assert_int_equal(i->n_columns, 2);
    assert_string_equal(i->column[1].name, "parent");
    assert_int_equal(i->column[1].type, GRAPH_NODE);
    assert_int_equal(i->n_edges, -1);
    assert_int_equal(graph_result_read_values(f, 0, 0, 0, 3, depth), ST_OK);
    assert_memory_equal(depth, ((int32_t[]){0, 1, -1}), sizeof(depth));
    assert_int_equal(graph_result_read_values(f, 1, 0, 0, 3, parent), ST_OK);
    assert_memory_equal(parent, ((int64_t[]){10, 10, -1}), sizeof(parent));
    assert_int_equal(graph_result_read_values(f, 0, 0, 1, 2, depth), ST_OK);
    assert_int_equal(depth[0], 1);
    assert_true(run_info_stage(&i->run.info, "kernels") == 2);
    assert_true(run_info_stage(&i->run.info, "read") == 0.5);
    assert_true(run_info_stage(&i->run.info, "copy") < 0);
    assert_int_equal(i->run.arcs_visited, 4);
    assert_string_equal(i->run.decisions, run.decisions);
    assert_string_equal(i->run.info.command, run.info.command);
    assert_null(i->run.info.devices);
    graph_result_read_close(f);
}

static void several_sources_have_a_row_each(void **state)
{
    const int32_t sources[] = {2, 0};
    const char *const names[] = {"a", "b", "c"};
    graph_result_head_t head = bfs_head();
    graph_result_writer_t *w;
    graph_result_file_t *f;
    double value;

    (void)state;
    head.name = names;
    head.source = sources;
    head.n_sources = head.n_rows = 2;
    head.n_columns = 1;
    head.column[0] = (graph_result_column_t){"x", GRAPH_REAL};
    w = begin(&head);
    assert_int_equal(graph_result_write_row(w, 0, 1, (double[]){4, 5, 6}), ST_OK);
    assert_int_equal(graph_result_write_row(w, 0, 0, (double[]){1, 2, 3}), ST_OK);
    end(w);
    f = open_file();
    assert_int_equal(graph_result_read_info(f)->n_rows, 2);
    assert_int_equal(graph_result_read_info(f)->source[0], 30);
    assert_string_equal(graph_result_read_info(f)->name[2], "c");
    assert_int_equal(graph_result_read_values(f, 0, 1, 1, 2, &value), ST_OK);
    assert_true(value == 5);
    assert_int_equal(graph_result_read_values(f, 0, 0, 2, 3, &value), ST_OK);
    assert_true(value == 3);
    graph_result_read_close(f);
}

static void edges_come_back_with_ids_and_weights(void **state)
{
    graph_result_head_t head = bfs_head();
    graph_result_writer_t *w;
    graph_result_file_t *f;
    const graph_result_info_t *i;

    (void)state;
    head.n_columns = 0;
    w = begin(&head);
    assert_int_equal(graph_result_write_edges(w, (int64_t[]){1, 2}, 2), ST_OK);
    end(w);
    f = open_file();
    i = graph_result_read_info(f);
    assert_int_equal(i->n_edges, 2);
    assert_true(i->has_weight);
    assert_memory_equal(i->edges.source, ((int64_t[]){10, 30}), 2 * sizeof(int64_t));
    assert_memory_equal(i->edges.target, ((int64_t[]){30, 20}), 2 * sizeof(int64_t));
    assert_memory_equal(i->edges.weight, ((int32_t[]){8, 9}), 2 * sizeof(int32_t));
    graph_result_read_close(f);
}

static void a_failed_job_leaves_no_file(void **state)
{
    graph_result_head_t head = bfs_head();

    (void)state;
    assert_int_equal(graph_result_write_end(begin(&head), ST_EDEVICE), ST_EDEVICE);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void assert_refused(const char *reason)
{
    graph_result_file_t *f;
    status_t st;

    capture_start();
    st = graph_result_read_open(path, &f);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged(reason);
    assert_logged_one_line();
}

/* Write a file and change it, which must be refused. */
static void assert_change_is_refused(void (*change)(hid_t file), const char *reason)
{
    hid_t file;

    write_bfs();
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
    assert_refused(reason);
    unlink(path);
}

static void rename_depth(hid_t file)
{
    H5Lmove(file, "/nodes/depth", file, "/nodes/depths", H5P_DEFAULT, H5P_DEFAULT);
}

static void exchange_ids(hid_t file)
{
    hid_t data = H5Dopen2(file, "/nodes/id", H5P_DEFAULT);

    H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
             (int64_t[]){10, 30, 20});
    H5Dclose(data);
}

static void shorten_depth(hid_t file)
{
    H5Ldelete(file, "/nodes/depth", H5P_DEFAULT);
    h5util_put_int32s(file, "/nodes/depth", (int32_t[]){0, 1}, 2, 0);
}

static void set_real_depth(hid_t file)
{
    H5Ldelete(file, "/nodes/depth", H5P_DEFAULT);
    h5util_put_array(file, "/nodes/depth", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                     (double[]){0, 1, 2}, 3, 0);
}

static void set_rows(hid_t file)
{
    hid_t nodes = H5Gopen2(file, "/nodes", H5P_DEFAULT);

    H5Adelete(nodes, "n_rows");
    h5util_put_int(nodes, "n_rows", 2);
    H5Gclose(nodes);
}

static void link_edges(hid_t file)
{
    H5Lcreate_soft("/nodes", file, "/edges", H5P_DEFAULT, H5P_DEFAULT);
}

static void remove_run(hid_t file)
{
    H5Ldelete(file, "/run", H5P_DEFAULT);
}

static void remove_iterations(hid_t file)
{
    H5Adelete_by_name(file, "/run", "iterations", H5P_DEFAULT);
}

static void set_version(hid_t file)
{
    H5Adelete(file, "format_version");
    h5util_put_int(file, "format_version", 99);
}

static void remove_format(hid_t file)
{
    H5Adelete(file, "format");
}

static void files_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    assert_change_is_refused(rename_depth, "/nodes/depth is missing");
    assert_change_is_refused(exchange_ids, "/nodes/id does not ascend at value 3");
    assert_change_is_refused(shorten_depth, "/nodes/depth has another size");
    assert_change_is_refused(set_real_depth,
                             "does not hold numbers of the expected type");
    assert_change_is_refused(set_rows, "/nodes has another number of rows");
    assert_change_is_refused(link_edges, "/edges is a link to another place");
    assert_change_is_refused(remove_run, "/run is missing");
    assert_change_is_refused(remove_iterations, "the attribute iterations of /run");
    assert_change_is_refused(set_version, "format version 99 is newer");
    assert_change_is_refused(remove_format, "not a result of `graph`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(
            results_that_are_not_finite_are_neither_written_nor_read, remove_file),
        cmocka_unit_test_teardown(counts_come_back_sample_by_sample, remove_file),
        cmocka_unit_test_teardown(columns_come_back_with_original_ids, remove_file),
        cmocka_unit_test_teardown(several_sources_have_a_row_each, remove_file),
        cmocka_unit_test_teardown(edges_come_back_with_ids_and_weights, remove_file),
        cmocka_unit_test(a_failed_job_leaves_no_file),
        cmocka_unit_test(files_that_do_not_fit_are_refused),
    };

    h5util_init();
    return cmocka_run_group_tests(tests, setup, teardown);
}
