/*
 * test_graph_sources.c - the nodes that a job starts from.
 */
#include "tests/support/unit_test.h"

#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"
#include "worker/graph/graph_opts.h"

#include <stdlib.h>

/* Degrees: 1: 1, 3: 3, 5: 2, 7: 2; 9 has no arcs. */
static csr_t graph;
static char **names;

static int make(void **state)
{
    graph = made_graph_of("1-3 3-5 5-7 7-3 9-9", false);
    return dir_make(state);
}

static int unmake(void **state)
{
    csr_free(&graph);
    return dir_remove(state);
}

static void assert_sources(graph_sources_t how, const int32_t *want, int64_t n)
{
    int32_t *got;
    int64_t n_got;

    assert_int_equal(graph_sources_choose(&how, &graph, names, "graph", &got, &n_got),
                     ST_OK);
    assert_int_equal(n_got, n);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(graph.id[got[i]], want[i]);
    free(got);
}

static void assert_refused(graph_sources_t how, const char *message)
{
    int32_t *got;
    int64_t n;

    capture_start();
    assert_int_equal(graph_sources_choose(&how, &graph, names, "graph", &got, &n),
                     ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(message);
}

static void all_nodes_are_sources(void **state)
{
    const int32_t want[] = {1, 3, 5, 7, 9};

    (void)state;
    assert_sources((graph_sources_t){.kind = GRAPH_SOURCES_ALL}, want, 5);
}

static void a_source_is_found_by_its_id(void **state)
{
    const int32_t want[] = {7};

    (void)state;
    assert_sources((graph_sources_t){.kind = GRAPH_SOURCES_NODE, .name = "7", .id = 7},
                   want, 1);
}

static void a_source_is_found_by_its_name_first(void **state)
{
    static char *some[] = {"a", "7", "b", "c", "a"};
    const int32_t named[] = {3}, numbered[] = {9};

    (void)state;
    names = some;
    assert_sources((graph_sources_t){.kind = GRAPH_SOURCES_NODE, .name = "7", .id = 7},
                   named, 1);
    assert_sources((graph_sources_t){.kind = GRAPH_SOURCES_NODE, .name = "9", .id = 9},
                   numbered, 1);
    assert_refused((graph_sources_t){.kind = GRAPH_SOURCES_NODE, .name = "a", .id = -1},
                   "graph: several nodes have the name a; give the id of one, such as 1");
    assert_refused((graph_sources_t){.kind = GRAPH_SOURCES_NODE, .name = "d", .id = -1},
                   "graph: there is no node d; give another source");
    names = NULL;
}

static void equal_degrees_go_to_the_smaller_id(void **state)
{
    const int32_t one[] = {3}, two[] = {3, 5}, four[] = {1, 3, 5, 7};

    (void)state;
    assert_sources((graph_sources_t){.kind = GRAPH_SOURCES_MAX_DEGREE, .n = 1}, one, 1);
    assert_sources((graph_sources_t){.kind = GRAPH_SOURCES_MAX_DEGREE, .n = 2}, two, 2);
    assert_sources((graph_sources_t){.kind = GRAPH_SOURCES_MAX_DEGREE, .n = 4}, four, 4);
}

static void random_sources_differ_and_ascend(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        graph_sources_t how = {.kind = GRAPH_SOURCES_RANDOM, .n = 3, .seed = seed};
        int32_t *got;
        int64_t n;

        assert_int_equal(graph_sources_choose(&how, &graph, names, "graph", &got, &n),
                         ST_OK);
        assert_int_equal(n, 3);
        assert_true(got[0] < got[1] && got[1] < got[2]);
        free(got);
    }
}

static void every_node_is_drawn_by_some_seed(void **state)
{
    bool is_drawn[5] = {false};

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        graph_sources_t how = {.kind = GRAPH_SOURCES_RANDOM, .n = 1, .seed = seed};
        int32_t *got;
        int64_t n;

        assert_int_equal(graph_sources_choose(&how, &graph, names, "graph", &got, &n),
                         ST_OK);
        is_drawn[got[0]] = true;
        free(got);
    }
    assert_true(is_drawn[0] && is_drawn[1] && is_drawn[2] && is_drawn[3]);
}

static void more_sources_than_nodes_are_refused(void **state)
{
    graph_sources_t how = {.kind = GRAPH_SOURCES_MAX_DEGREE, .n = 6};
    int32_t *got;
    int64_t n;

    (void)state;
    assert_int_equal(graph_sources_choose(&how, &graph, names, "graph", &got, &n),
                     ST_EINPUT);
    how = (graph_sources_t){.kind = GRAPH_SOURCES_NODE, .id = 2};
    assert_int_equal(graph_sources_choose(&how, &graph, names, "graph", &got, &n),
                     ST_EINPUT);
}

static void a_graph_without_nodes_has_no_sources(void **state)
{
    graph_sources_t how = {.kind = GRAPH_SOURCES_MAX_DEGREE, .n = 1};
    csr_t none = {0};
    int32_t *got;
    int64_t n;

    (void)state;
    assert_int_equal(graph_sources_choose(&how, &none, NULL, "graph", &got, &n), ST_OK);
    assert_int_equal(n, 0);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_nodes_are_sources),
        cmocka_unit_test(a_source_is_found_by_its_id),
        cmocka_unit_test(a_source_is_found_by_its_name_first),
        cmocka_unit_test(equal_degrees_go_to_the_smaller_id),
        cmocka_unit_test(random_sources_differ_and_ascend),
        cmocka_unit_test(every_node_is_drawn_by_some_seed),
        cmocka_unit_test(more_sources_than_nodes_are_refused),
        cmocka_unit_test(a_graph_without_nodes_has_no_sources),
    };

    return cmocka_run_group_tests(tests, make, unmake);
}
