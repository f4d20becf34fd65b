/*
 * test_graph_write.c - graphs written in each format are the same when they are read.
 */
#include "tests/support/unit_test.h"

#include "io/graphfile/make/graph_make.h"
#include "io/graphfile/read/graph_read.h"
#include "tests/support/captured_log.h"

typedef enum { PLAIN, WEIGHTS, VALUES } kind_t;

/* Nodes 1 .. 4; symmetric: edges 1-2, 1-4; else arcs 1 -> 2, 1 -> 4, 4 -> 4, 4 -> 1. */
static csr_t graph_of(kind_t kind, bool is_symmetric)
{
    csr_t g;

    assert_int_equal(csr_create(4, 4, kind == WEIGHTS, kind == VALUES, &g), ST_OK);
    memcpy(g.first,
           is_symmetric ? (int64_t[]){0, 2, 3, 3, 4} : (int64_t[]){0, 2, 2, 2, 4},
           5 * sizeof(int64_t));
    memcpy(g.to, is_symmetric ? (int32_t[]){1, 3, 0, 0} : (int32_t[]){1, 3, 0, 3},
           4 * sizeof(int32_t));
    for (int64_t u = 0; u < 4; u++)
        g.id[u] = u + 1;
    if (kind == WEIGHTS)
        memcpy(g.weight, (int32_t[]){5, 0, 5, 0}, 4 * sizeof(int32_t));
    if (kind == VALUES)
        memcpy(g.value, (double[]){0.1, -1e-300, 0.1, -1e-300}, 4 * sizeof(double));
    g.is_symmetric = is_symmetric;
    return g;
}

static void assert_same(const csr_t *g, const csr_t *got)
{
    assert_int_equal(got->n_nodes, g->n_nodes);
    assert_int_equal(got->n_arcs, g->n_arcs);
    assert_int_equal(got->is_symmetric, g->is_symmetric);
    assert_memory_equal(got->first, g->first,
                        (size_t)(g->n_nodes + 1) * sizeof(*g->first));
    assert_memory_equal(got->to, g->to, (size_t)g->n_arcs * sizeof(*g->to));
    assert_memory_equal(got->id, g->id, (size_t)g->n_nodes * sizeof(*g->id));
    if (g->weight != NULL)
        assert_memory_equal(got->weight, g->weight,
                            (size_t)g->n_arcs * sizeof(*g->weight));
    if (g->value != NULL)
        assert_memory_equal(got->value, g->value, (size_t)g->n_arcs * sizeof(*g->value));
}

static void write_and_read(const char *name, const csr_t *g, csr_t *got)
{
    const graph_read_options_t options = {.format = GRAPH_FORMAT_AUTO};
    const csr_options_t as_given = {0};
    char path[PATH_BYTES];

    dir_file(name, path);
    assert_int_equal(graph_write(path, GRAPH_OUTPUT_AUTO, false, g, NULL, NULL, NULL),
                     ST_OK);
    capture_start();
    assert_int_equal(graph_read_csr(path, &options, &as_given, NULL, got, NULL), ST_OK);
    capture_stop();
    assert_logged_nothing();
    unlink(path);
}

static void each_format_brings_the_graph_back(void **state)
{
    static const struct {
        const char *name;
        bool directed, values, unweighted;
    } formats[] = {
        {"g.h5", true, true, true},
        {"g.mtx", true, true, true},
        {"g.gr", true, false, false}, /* arcs without weights get 1 */
        {"g.graph", false, false, true},
    };

    (void)state;
    for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
        for (int kind = PLAIN; kind <= VALUES; kind++) {
            for (int is_symmetric = 0; is_symmetric < 2; is_symmetric++) {
                csr_t g = graph_of((kind_t)kind, is_symmetric), got;

                if ((is_symmetric || formats[f].directed) &&
                    (kind != VALUES || formats[f].values) &&
                    (kind != PLAIN || formats[f].unweighted)) {
                    write_and_read(formats[f].name, &g, &got);
                    assert_same(&g, &got);
                    csr_free(&got);
                }
                csr_free(&g);
            }
        }
    }
}

static void an_edge_list_keeps_original_ids_and_lacks_lonely_nodes(void **state)
{
    csr_t g = graph_of(WEIGHTS, true), got;

    (void)state;
    g.id[3] = 1000;
    write_and_read("g.txt", &g, &got);
    assert_int_equal(got.n_nodes, 3);
    assert_true(got.is_symmetric);
    assert_memory_equal(got.id, ((int64_t[]){1, 2, 1000}), 3 * sizeof(int64_t));
    assert_memory_equal(got.first, ((int64_t[]){0, 2, 3, 4}), 4 * sizeof(int64_t));
    assert_memory_equal(got.weight, g.weight, 4 * sizeof(int32_t));
    csr_free(&g);
    csr_free(&got);
}

static void assert_refused(const char *name, const csr_t *g, const char *reason)
{
    char path[PATH_BYTES];

    dir_file(name, path);
    capture_start();
    assert_int_not_equal(graph_write(path, GRAPH_OUTPUT_AUTO, false, g, NULL, NULL, NULL),
                         ST_OK);
    capture_stop();
    assert_logged_one_line();
    assert_logged(reason);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void formats_that_cannot_hold_the_graph_are_refused(void **state)
{
    csr_t g = graph_of(VALUES, true);

    (void)state;
    assert_refused("g.gr", &g, "no real weights");
    assert_refused("g.graph", &g, "no real weights");
    csr_free(&g);
    g = graph_of(PLAIN, false);
    assert_refused("g.graph", &g, "no directed edges");
    g.is_symmetric = true;
    assert_refused("g.graph", &g, "no loops");
    assert_refused("g.png", &g, "says no format");
    csr_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_brings_the_graph_back),
        cmocka_unit_test(an_edge_list_keeps_original_ids_and_lacks_lonely_nodes),
        cmocka_unit_test(formats_that_cannot_hold_the_graph_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
