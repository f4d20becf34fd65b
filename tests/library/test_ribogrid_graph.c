/*
 * test_ribogrid_graph.c - clusters and graphs of ribogrid.h, and bad arguments.
 */
#include "tests/support/unit_test.h"

#include "tests/library/library_case.h"

#include <math.h>
#include <string.h>

/* ---- clusters ---- */

static void similar_sequences_are_clustered(void **state)
{
    rg_context_t *context = new_context(2);
    rg_set_t *set = new_set(context, "ACGTACGTACGT TTTTGGGGCCCC ACGTACGTACGA");
    rg_aligner_t *aligner = new_aligner(context, set, NULL, NULL);
    rg_cluster_options_t options;
    rg_result_t *r = NULL;
    int32_t label[3] = {-1, -1, -1};
    double mcc = 0;

    (void)state;
    assert_int_equal(rg_aligner_all(aligner, &r), RG_OK);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_cluster_options_init(&options, sizeof(options));
    options.id = 0.9;
    options.method = "complete";
    assert_int_equal(rg_cluster(context, r, &options, label, &mcc), RG_OK);
    assert_int_equal(label[0], 0);
    assert_int_equal(label[1], 1);
    assert_int_equal(label[2], 0);
    assert_true(mcc == 1);
    options.id = 0;
    assert_fails(context, rg_cluster(context, r, &options, label, NULL), RG_EINVAL,
                 "above 0");
    options.id = NAN;
    assert_fails(context, rg_cluster(context, r, &options, label, NULL), RG_EINVAL,
                 "from 0 to 1");
    options.id = 0.9;
    options.method = "compleat";
    assert_fails(context, rg_cluster(context, r, &options, label, NULL), RG_EINVAL,
                 "did you mean complete");
    assert_int_equal(rg_cluster(context, NULL, NULL, label, NULL), RG_EINVAL);
    assert_int_equal(rg_cluster(context, r, NULL, NULL, NULL), RG_EINVAL);
    rg_result_destroy(r);
    rg_context_destroy(context);
}

static void clusters_of_other_pairs_are_refused(void **state)
{
    static const int32_t pair[] = {0, 1};
    rg_context_t *context = new_context(1);
    rg_set_t *set = new_set(context, "ACGTACGTACGT ACGTACGTACGA");
    rg_align_options_t options = defaults();
    rg_aligner_t *aligner = new_aligner(context, set, NULL, NULL);
    rg_cluster_options_t average;
    rg_result_t *r = NULL;
    int32_t label[2];

    (void)state;
    assert_int_equal(rg_aligner_pairs(aligner, pair, 1, &r), RG_OK);
    assert_fails(context, rg_cluster(context, r, NULL, label, NULL), RG_EINVAL,
                 "one set");
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
    options.id = 0.98;
    aligner = new_aligner(context, set, NULL, &options);
    assert_int_equal(rg_aligner_all(aligner, &r), RG_OK);
    assert_fails(context, rg_cluster(context, r, NULL, label, NULL), RG_EINVAL,
                 "a smaller id");
    rg_cluster_options_init(&average, sizeof(average));
    average.method = "average";
    average.id = 0.99;
    assert_fails(context, rg_cluster(context, r, &average, label, NULL), RG_EINVAL,
                 "all pairs");
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
    rg_context_destroy(context);
}

/* ---- graphs ---- */

/* A square 0-1-2-3 with the diagonal 0-2, and the node 4 alone; each edge is two arcs. */
static const int64_t square_starts[] = {0, 3, 5, 8, 10, 10};
static const int32_t square_targets[] = {1, 2, 3, 0, 2, 0, 1, 3, 0, 2};
static const int32_t square_weights[] = {4, 9, 1, 4, 2, 9, 2, 7, 1, 7};

static void assert_column(const rg_columns_t *c, const char *type, const int32_t *want)
{
    assert_string_equal(rg_columns_type(c, 0), type);
    for (int64_t i = 0; i < rg_columns_length(c); i++) {
        const void *values = rg_columns_values(c, 0);
        const int64_t got = strcmp(type, "int64") == 0   ? ((const int64_t *)values)[i]
                            : strcmp(type, "int32") == 0 ? ((const int32_t *)values)[i]
                                                         : ((const uint8_t *)values)[i];

        assert_int_equal(got, want[i]);
    }
}

static void graphs_have_results_per_node(void **state)
{
    static const int32_t source = 0;
    static const struct {
        const char *algorithm, *column, *type;
        int32_t want[5], n;
    } cases[] = {{"bfs", "depth", "int32", {0, 1, 1, 1, -1}, 5},
                 {"sssp", "distance", "int64", {0, 4, 6, 1, -1}, 5},
                 {"components", "component", "int32", {0, 0, 0, 0, 4}, 5},
                 {"triangles", "triangles", "int64", {2, 1, 2, 1, 0}, 5},
                 {"coloring", "color", "int32", {0, 2, 1, 2, 0}, 5},
                 {"mis", "in_set", "uint8", {1, 0, 0, 0, 1}, 5},
                 {"mst", "arc", "int64", {0, 2, 4}, 3}};
    rg_context_t *context = new_context(2);
    rg_graph_options_t options;
    rg_graph_t *graph = NULL;

    (void)state;
    assert_int_equal(rg_graph_create(context, 5, square_starts, square_targets,
                                     square_weights, NULL, &graph),
                     RG_OK);
    assert_int_equal(rg_graph_nodes(graph), 5);
    assert_int_equal(rg_graph_arcs(graph), 10);
    assert_int_equal(rg_graph_is_symmetric(graph), 1);
    rg_graph_options_init(&options, sizeof(options));
    options.sources = &source;
    options.n_sources = 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rg_columns_t *c = NULL;

        if (rg_graph_run(context, graph, cases[i].algorithm, &options, &c) != RG_OK)
            fail_msg("%s: %s", cases[i].algorithm, rg_context_error(context));
        assert_string_equal(rg_columns_name(c, 0), cases[i].column);
        assert_int_equal(rg_columns_length(c), cases[i].n);
        assert_column(c, cases[i].type, cases[i].want);
        assert_null(rg_columns_name(c, rg_columns_count(c)));
        rg_columns_destroy(c);
    }
    rg_graph_destroy(graph);
    rg_context_destroy(context);
}

/* Paths 1-0-3 and 1-2-3, each with half of the pair; pairs of a symmetric graph count
 * once from each end, and half each. */
static void betweenness_is_of_all_nodes_or_of_some(void **state)
{
    static const int32_t source = 1;
    rg_context_t *context = new_context(2);
    rg_graph_options_t options;
    rg_graph_t *graph = NULL;
    rg_columns_t *c = NULL;

    (void)state;
    assert_int_equal(rg_graph_create(context, 5, square_starts, square_targets, NULL,
                                     NULL, &graph),
                     RG_OK);
    assert_int_equal(rg_graph_run(context, graph, "betweenness", NULL, &c), RG_OK);
    assert_true(((const double *)rg_columns_values(c, 0))[0] == 0.5);
    assert_true(((const double *)rg_columns_values(c, 0))[1] == 0);
    rg_columns_destroy(c);
    rg_graph_options_init(&options, sizeof(options));
    options.sources = &source;
    options.n_sources = 1;
    assert_int_equal(rg_graph_run(context, graph, "betweenness", &options, &c), RG_OK);
    assert_true(((const double *)rg_columns_values(c, 0))[0] == 0.25);
    rg_columns_destroy(c);
    rg_graph_destroy(graph);
    rg_context_destroy(context);
}

static void bad_graphs_are_refused(void **state)
{
    static const int64_t descending[] = {0, 3, 2, 2}, late[] = {1, 2};
    static const int64_t starts[] = {0, 2, 3};
    static const int32_t beyond[] = {0, 2, 0}, twice[] = {1, 1, 0}, loops[] = {0, 1, 0};
    static const int32_t negative[] = {1, -1, 1};
    static const double nan_values[] = {1, NAN, 1};
    static const int32_t two[] = {0, 1};
    rg_context_t *context = new_context(1);
    rg_graph_options_t options;
    rg_graph_t *g = NULL;
    rg_columns_t *c = NULL;

    (void)state;
#define REFUSED(status, reason, ...) \
    assert_fails(context, rg_graph_create(context, __VA_ARGS__, &g), (status), (reason))
    REFUSED(RG_EINVAL, "ascend", 3, descending, beyond, NULL, NULL);
    REFUSED(RG_EINVAL, "begin with 0", 1, late, beyond, NULL, NULL);
    REFUSED(RG_EINVAL, "0 to 2147483647", -1, starts, beyond, NULL, NULL);
    REFUSED(RG_EINVAL, "has targets", 2, starts, NULL, NULL, NULL);
    REFUSED(RG_EINVAL, "not both", 2, starts, loops, negative, nan_values);
    REFUSED(RG_EINPUT, "leads to no node", 2, starts, beyond, NULL, NULL);
    REFUSED(RG_EINPUT, "not behind", 2, starts, twice, NULL, NULL);
    REFUSED(RG_EINPUT, "negative weight", 2, starts, loops, negative, NULL);
    REFUSED(RG_EINPUT, "no finite value", 2, starts, loops, NULL, nan_values);
#undef REFUSED
    assert_int_equal(rg_graph_create(context, 2, starts, loops, NULL, NULL, &g), RG_OK);
    rg_graph_options_init(&options, sizeof(options));
    assert_fails(context, rg_graph_run(context, g, "bfss", NULL, &c), RG_EINVAL,
                 "did you mean bfs");
    assert_fails(context, rg_graph_run(context, g, "bfs", NULL, &c), RG_EINVAL,
                 "one source");
    assert_fails(context, rg_graph_run(context, g, "mis", NULL, &c), RG_EINPUT, "loops");
    options.sources = two;
    options.n_sources = 2;
    assert_fails(context, rg_graph_run(context, g, "bfs", &options, &c), RG_EINVAL,
                 "one source");
    options.damping = 2;
    assert_fails(context, rg_graph_run(context, g, "pagerank", &options, &c), RG_EINVAL,
                 "from 0 to 1");
    options.damping = 0.85;
    options.kernel = "fast";
    assert_fails(context, rg_graph_run(context, g, "pagerank", &options, &c), RG_EINVAL,
                 "no such kernel");
    assert_int_equal(rg_graph_run(context, NULL, "bfs", NULL, &c), RG_EINVAL);
    assert_int_equal(rg_graph_run(context, g, NULL, NULL, &c), RG_EINVAL);
    assert_int_equal(rg_graph_run(NULL, g, "bfs", NULL, &c), RG_EINVAL);
    assert_null(c);
    rg_graph_destroy(g);
    rg_graph_destroy(NULL);
    rg_columns_destroy(NULL);
    rg_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(similar_sequences_are_clustered),
        cmocka_unit_test(clusters_of_other_pairs_are_refused),
        cmocka_unit_test(graphs_have_results_per_node),
        cmocka_unit_test(betweenness_is_of_all_nodes_or_of_some),
        cmocka_unit_test(bad_graphs_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
