/*
 * test_graph_read.c - formats are recognised; real files from the folder RIBOGRID_DATA.
 */
#include "tests/support/unit_test.h"

#include "io/base/texts.h"
#include "io/graphfile/csr_file.h"
#include "io/graphfile/graph_result_format.h"
#include "io/hdf5/h5util.h"
#include "tests/io/graphfile/read/graph_outcome.h"
#include "tests/io/pairs/pairs_fixture.h"

#include <zlib.h>

static const graph_read_options_t automatic = {.format = GRAPH_FORMAT_AUTO};
static const csr_options_t as_given = {0};

static void assert_sizes(const graph_edges_t *e, int64_t n_nodes, int64_t n_edges)
{
    csr_t g;

    assert_int_equal(e->n, n_edges);
    assert_int_equal(csr_build(e, &as_given, NULL, &g), ST_OK);
    assert_int_equal(g.n_nodes, n_nodes);
    csr_free(&g);
}

static void names_and_first_lines_tell_the_format(void **state)
{
    graph_edges_t e;

    (void)state;
    e = edges_of("a.graph", "2 1\n2\n1\n");
    assert_edges(&e, 1, (int64_t[]){1, 2, 1});
    e = edges_of("a.METIS", "2 1\n2\n1\n");
    assert_edges(&e, 1, (int64_t[]){1, 2, 1});
    e = edges_of("a.txt",
                 "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
    assert_edges(&e, 1, (int64_t[]){1, 2, 1});
    e = edges_of("a.edgelist", "%%MatrixMarket matrix coordinate pattern general\n"
                               "%2 2 1\n1 2\n");
    assert_int_equal(e.n_declared, -1);
    assert_edges(&e, 1, (int64_t[]){1, 2, 1});
    e = edges_of("a.txt", "p sp 2 1\na 1 2 3\n");
    assert_edges(&e, 1, (int64_t[]){1, 2, 3});
    e = edges_of("a", "1 2\n");
    assert_edges(&e, 1, (int64_t[]){1, 2, 1});
}

static void a_named_format_is_read_whatever_the_file_is_called(void **state)
{
    const graph_read_options_t metis = {.format = GRAPH_FORMAT_METIS};
    graph_edges_t e;
    char path[PATH_BYTES];

    (void)state;
    dir_file("a.txt", path);
    dir_put(path, "2 1\n2\n1\n", 8);
    assert_int_equal(graph_read(path, &metis, &e), ST_OK);
    unlink(path);
    assert_edges(&e, 1, (int64_t[]){1, 2, 1});
}

static void gzip_files_are_read(void **state)
{
    graph_edges_t e;
    char path[PATH_BYTES];
    gzFile file;

    (void)state;
    dir_file("a.graph.gz", path);
    file = gzopen(path, "w");
    gzputs(file, "3 1\r\n\r\n3\r\n2\r\n");
    gzclose(file);
    assert_int_equal(graph_read(path, &automatic, &e), ST_OK);
    unlink(path);
    assert_edges(&e, 1, (int64_t[]){2, 3, 1});
}

static void a_missing_file_and_a_binary_one_are_refused(void **state)
{
    graph_edges_t e;
    char path[PATH_BYTES];

    (void)state;
    dir_file("a.mtx", path);
    capture_start();
    assert_int_equal(graph_read(path, &automatic, &e), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    dir_put(path, "1 2\n\0\n", 6);
    capture_start();
    assert_int_equal(graph_read(path, &automatic, &e), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    unlink(path);
}

static void pairs_at_an_identity_are_edges(void **state)
{
    graph_read_options_t options = {.id = {1, 100}};
    graph_nodes_t nodes;
    csr_t g;

    (void)state;
    write_result(3, PAIRS_N_IDENTITY);
    assert_int_equal(graph_read_csr(result, &options, &as_given, NULL, &g, &nodes),
                     ST_OK);
    assert_int_equal(g.n_nodes, 3);
    assert_int_equal(g.n_arcs, 2); /* 2 -> 3 and 3 -> 2 */
    assert_true(g.is_symmetric);
    assert_int_equal(g.id[0], 1);
    assert_int_equal(g.to[0], 2);
    assert_true(g.value[0] == (7102.0 - 103.0) / 7102.0);
    assert_string_equal(nodes.name[2], "s2");
    assert_true(nodes.are_sequences);
    texts_free(nodes.name);
    csr_free(&g);
    options.id = (fraction_t){0, 0};
    assert_int_equal(graph_read_csr(result, &options, &as_given, NULL, &g, NULL), ST_OK);
    assert_int_equal(g.n_arcs, 6);
    csr_free(&g);
    results_forget(state);
}

static void pairs_without_identities_are_refused(void **state)
{
    graph_edges_t e;

    (void)state;
    write_result(3, PAIRS_N_SCORE);
    capture_start();
    assert_int_equal(graph_read(result, &automatic, &e), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    results_forget(state);
}

/* Ids 10, 20, 30; arcs 10 -> 10, 10 -> 30 twice. */
static void write_graph(const char *path)
{
    csr_t g;

    assert_int_equal(csr_create(3, 3, true, false, &g), ST_OK);
    memcpy(g.first, (int64_t[]){0, 3, 3, 3}, 4 * sizeof(int64_t));
    memcpy(g.to, (int32_t[]){0, 2, 2}, 3 * sizeof(int32_t));
    memcpy(g.weight, (int32_t[]){4, 6, 5}, 3 * sizeof(int32_t));
    memcpy(g.id, (int64_t[]){10, 20, 30}, 3 * sizeof(int64_t));
    assert_int_equal(csr_file_write(path, false, &g, NULL, NULL, NULL), ST_OK);
    csr_free(&g);
}

static void a_graph_that_is_built_is_taken_as_it_is_or_built_again(void **state)
{
    const csr_options_t simple = {.symmetrize = true, .dedupe = true, .drop_loops = true};
    char path[PATH_BYTES];
    graph_nodes_t nodes;
    csr_t g;

    (void)state;
    dir_file("g.h5", path);
    write_graph(path);
    assert_int_equal(graph_read_csr(path, &automatic, &as_given, NULL, &g, &nodes),
                     ST_OK);
    assert_null(nodes.name);
    assert_int_equal(g.n_arcs, 3);
    assert_int_equal(g.weight[2], 5);
    csr_free(&g);
    assert_int_equal(graph_read_csr(path, &automatic, &simple, NULL, &g, NULL), ST_OK);
    assert_int_equal(g.n_nodes, 3); /* 20 has no arcs, but exists */
    assert_int_equal(g.id[1], 20);
    assert_memory_equal(g.first, ((int64_t[]){0, 1, 1, 2}), 4 * sizeof(int64_t));
    assert_memory_equal(g.to, ((int32_t[]){2, 0}), 2 * sizeof(int32_t));
    assert_memory_equal(g.weight, ((int32_t[]){5, 5}), 2 * sizeof(int32_t));
    csr_free(&g);
    unlink(path);
}

static void an_identity_is_for_pairs(void **state)
{
    const graph_read_options_t at_97 = {.id = {97, 100}};
    graph_edges_t e;
    char path[PATH_BYTES];

    (void)state;
    assert_int_equal(read_graph_with("a.txt", "1 2\n", &at_97, &e), ST_EINPUT);
    assert_logged_one_line();
    assert_logged("a.txt: --id is for the pairs of `ribogrid align`");
    dir_file("g.h5", path);
    write_graph(path);
    capture_start();
    assert_int_equal(graph_read(path, &at_97, &e), ST_EINPUT);
    capture_stop();
    unlink(path);
    assert_logged_one_line();
    assert_logged("g.h5: --id is for the pairs of `ribogrid align`");
}

static void names_are_for_edge_lists(void **state)
{
    const graph_read_options_t named = {.has_names = true};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.graph", "2 1\n2\n1\n", &named, &e), ST_EINPUT);
    assert_logged_one_line();
    assert_logged("a.graph: --names is for edge lists, and this file is none");
}

static void directions_are_for_edge_lists(void **state)
{
    const graph_read_options_t directed = {.is_directed = true};
    graph_edges_t e;

    (void)state;
    assert_int_equal(read_graph_with("a.gr", "p sp 2 1\na 1 2 3\n", &directed, &e),
                     ST_EINPUT);
    assert_logged_one_line();
    assert_logged("a.gr: --directed is for edge lists, and this file is none");
}

static void names_of_an_edge_list_are_those_of_its_nodes(void **state)
{
    graph_nodes_t nodes;
    char path[PATH_BYTES];
    csr_t g;

    (void)state;
    dir_file("a.csv", path);
    dir_put(path, "b,a\nb,c\n", 8);
    assert_int_equal(graph_read_csr(path, &automatic, &as_given, NULL, &g, &nodes),
                     ST_OK);
    unlink(path);
    assert_string_equal(nodes.name[0], "a");
    assert_string_equal(nodes.name[2], "c");
    assert_false(nodes.are_sequences);
    assert_int_equal(csr_degree(&g, 1), 2);
    texts_free(nodes.name);
    csr_free(&g);
}

static void a_result_of_a_graph_job_is_refused(void **state)
{
    csr_t g;
    graph_result_writer_t *w;
    graph_edges_t e;
    graph_result_head_t head = {
        .program = "p", .algorithm = "a", .job = "", .graph = &g, .n_rows = 1};

    (void)state;
    assert_int_equal(csr_create(1, 0, false, false, &g), ST_OK);
    assert_int_equal(graph_result_write_begin(result, false, &head, NULL, &w), ST_OK);
    assert_int_equal(graph_result_write_end(w, ST_OK), ST_OK);
    capture_start();
    assert_int_equal(graph_read(result, &automatic, &e), ST_EINPUT);
    capture_stop();
    assert_logged("a result of `ribogrid graph`, not a graph");
    csr_free(&g);
    unlink(result);
}

/* Numbers of nodes, and of edges as they are listed, from PROVENANCE.md. */
static const struct {
    const char *name;
    int64_t n_nodes, n_edges;
} real_files[] = {
    {"wiki-Vote.txt.gz", 7115, 103689},
    {"chesapeake.mtx", 39, 170},
    {"4elt.graph.gz", 15606, 45878},
    {"lesmis.graph", 77, 254},
    {"karate.graph", 34, 78},
    {"hamming6-4.edgelist", 64, 704},
    {"tiny_01.graph", 7, 11},
    {"tiny_02.graph", 7, 11},
    {"p2p-Gnutella31.txt.gz", 62586, 147892},
    {"luxembourg_osm.edges1.txt.gz", 114599, 119666},
    {"delaunay_n16.edges1.txt.gz", 65536, 196575},
    {"email-Enron.txt.gz", 36692, 367662}, /* without its line of sizes */
    {"rome99.gr", 3353, 4444},
    {"bcsstk13.mtx.gz", 2003, 42943},
    {"jagmesh7.mtx", 1138, 4294},
    {"karate.mtx", 34, 78},
    {"ldbc-directed-example.mtx", 10, 17},
    {"skew_int32.mtx", 6, 20}, /* both directions */
    {"west0067.mtx", 67, 294},
    {"tiny_03.graph", 7, 11},
    {"tiny_04.graph", 7, 11},
};

static const struct {
    const char *name, *reason;
} bad_files[] = {
    {"empty.mtx", "empty.mtx:4: the matrix has 3 rows and 4 columns"},
    {"full_noheader.mtx", "full_noheader.mtx:1: the banner is missing"},
    {"matrix_fp64.mtx", "matrix_fp64.mtx:7: the value '-inf' is not an integer"},
};

/* Find a file of the data folder; skip the test if it does not exist. */
static void find_data(const char *name, char path[PATH_BYTES])
{
    const char *folder = getenv("RIBOGRID_DATA");

    snprintf(path, PATH_BYTES, "%s/graphs/%s", folder != NULL ? folder : "", name);
    if (folder == NULL || access(path, R_OK) != 0) {
        print_message("RIBOGRID_DATA/graphs/%s does not exist: skipped\n", name);
        skip();
    }
}

static void real_files_have_their_numbers_of_nodes_and_edges(void **state)
{
    char path[PATH_BYTES];
    graph_edges_t e;

    (void)state;
    for (size_t i = 0; i < sizeof(real_files) / sizeof(real_files[0]); i++) {
        find_data(real_files[i].name, path);
        assert_int_equal(graph_read(path, &automatic, &e), ST_OK);
        assert_sizes(&e, real_files[i].n_nodes, real_files[i].n_edges);
        graph_edges_free(&e);
    }
}

static void real_files_that_are_no_graphs_are_refused(void **state)
{
    char path[PATH_BYTES];
    graph_edges_t e;

    (void)state;
    for (size_t i = 0; i < sizeof(bad_files) / sizeof(bad_files[0]); i++) {
        find_data(bad_files[i].name, path);
        capture_start();
        assert_int_equal(graph_read(path, &automatic, &e), ST_EINPUT);
        capture_stop();
        assert_logged_one_line();
        assert_logged(bad_files[i].reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_first_lines_tell_the_format),
        cmocka_unit_test(a_named_format_is_read_whatever_the_file_is_called),
        cmocka_unit_test(gzip_files_are_read),
        cmocka_unit_test(a_missing_file_and_a_binary_one_are_refused),
        cmocka_unit_test(pairs_at_an_identity_are_edges),
        cmocka_unit_test(pairs_without_identities_are_refused),
        cmocka_unit_test(a_graph_that_is_built_is_taken_as_it_is_or_built_again),
        cmocka_unit_test(an_identity_is_for_pairs),
        cmocka_unit_test(names_are_for_edge_lists),
        cmocka_unit_test(directions_are_for_edge_lists),
        cmocka_unit_test(names_of_an_edge_list_are_those_of_its_nodes),
        cmocka_unit_test(a_result_of_a_graph_job_is_refused),
        cmocka_unit_test(real_files_have_their_numbers_of_nodes_and_edges),
        cmocka_unit_test(real_files_that_are_no_graphs_are_refused),
    };

    h5util_init();
    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
