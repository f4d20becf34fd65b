/*
 * gpu_graph.c - the graph backend `cuda` returns the same bytes as `serial`, with every
 * template, variant, way of updating, splitting of nodes and threshold.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It prints one line per
 * graph and algorithm, and exits with 1 if any value differs, 77 without a GPU.
 *
 * usage: gpu_graph [GRAPH ...]  (named_graph.h)
 */
#include "tests/support/earlier_result.h"
#include "tests/support/gpu_case.h"
#include "tests/support/gpu_graph_case.h"
#include "tests/support/made_leaf_counts.h"
#include "tests/support/named_graph.h"

#include <stdio.h>
#include <stdlib.h>

/* Sizes at the limits of words, warps and blocks; rows of every class; no arcs at all. */
static const char *const graphs[] = {
    "rmat:10:16",   "rmat:14:16",   "web:11:12",        "grid:37",    "grid:200",
    "citeseer:700", "funnel:2300",  "star:5000",        "path:1",     "path:32",
    "path:33",      "path:257",     "path:1500",        "empty:1",    "empty:70",
    "star:300",     "rmat:5:40",    "web:13:40",        "star:20000", "diamonds:900",
    "tree:2000:1",  "tree:70000:9", "tree:50000:50000", "lens:9000",
};

static void compare_algorithm(gpu_graph_case_t *s, const char *name, const csr_t *g,
                              const graph_spec_t *spec)
{
    bool is_summed = graph_info(spec->algorithm)->is_summed;

    gpu_graph_compare(s, name, g, spec, is_summed ? 4 : 1, 0, true);
    if (is_summed) { /* all blocks for one source; more sources than blocks */
        gpu_graph_compare(s, name, g, spec, 1, 0, false);
        gpu_graph_compare(s, name, g, spec,
                          g->n_arcs < 20000 ? GPU_GRAPH_SOURCES_MAX : 150, 0, false);
    }
}

/* From a result on an earlier graph. */
static void compare_from(gpu_graph_case_t *s, const char *name, const csr_t *g,
                         const graph_spec_t *one)
{
    graph_spec_t spec = *one;
    earlier_result_t earlier;

    if (earlier_result_make(g, one, &earlier)) {
        earlier_result_use(&earlier, &spec);
        gpu_graph_compare(s, name, g, &spec, 1, 0, true);
        for (int r = GRAPH_RESTART_WARM;
             spec.algorithm == GRAPH_PAGERANK && r <= GRAPH_RESTART_SET; r++) {
            spec.restart = (graph_restart_t)r;
            gpu_graph_compare(s, name, g, &spec, 1, 0, true);
        }
    } else {
        s->n_failed++;
    }
    earlier_result_free(&earlier);
}

/* Counts of leaves: many samples by one state. */
static void compare_samples(gpu_graph_case_t *s, const char *name, const csr_t *g,
                            const graph_spec_t *one)
{
    leaf_counts_t leaves = made_leaf_counts(g);
    graph_spec_t spec = *one;

    spec.leaves = &leaves;
    for (int k = 0; k <= MADE_SAMPLES; k++)
        gpu_graph_compare(s, name, g, &spec, 0, k, true);
    arrays_free(&leaf_counts_arrays, &leaves);
}

/* Weights with many ties; real weights, some of them negative, 0 and -0. */
static void compare_forests(gpu_graph_case_t *s, const char *name, const csr_t *g)
{
    graph_spec_t spec = {.algorithm = GRAPH_MST};
    csr_t h = *g;
    int32_t *weight = malloc((size_t)(g->n_arcs + 1) * sizeof(*weight));
    double *value = malloc((size_t)(g->n_arcs + 1) * sizeof(*value));

    if (weight == NULL || value == NULL) {
        s->n_failed++;
        goto out;
    }
    for (int64_t a = 0; a < g->n_arcs; a++) {
        int32_t w = g->weight[a];

        weight[a] = w % 3;
        value[a] = w % 9 == 4 ? (w & 1 ? -0.0 : 0.0) : (w % 9 - 4) / 7.0;
    }
    h.weight = weight;
    gpu_graph_compare(s, name, &h, &spec, 0, 0, true);
    h.weight = NULL;
    gpu_graph_compare(s, name, &h, &spec, 0, 0, false);
    h.value = value;
    gpu_graph_compare(s, name, &h, &spec, 0, 0, true);
    for (int64_t a = 0; a < g->n_arcs; a++)
        value[a] = 1 / (double)(1 + g->weight[a]);
    gpu_graph_compare(s, name, &h, &spec, 0, 0, false);
out:
    free(value);
    free(weight);
}

/* Matrices without values, and with real ones. */
static void compare_products(gpu_graph_case_t *s, const char *name, const csr_t *g,
                             const graph_spec_t *spec)
{
    csr_t h = *g;
    double *value = malloc((size_t)(g->n_arcs + 1) * sizeof(*value));

    if (value == NULL) {
        s->n_failed++;
        return;
    }
    for (int64_t a = 0; a < g->n_arcs; a++)
        value[a] = g->weight[a] % 9 == 4 ? -0.0 : (g->weight[a] % 9 - 4) / 7.0;
    h.weight = NULL;
    gpu_graph_compare(s, name, &h, spec, 0, 0, true);
    h.value = value;
    gpu_graph_compare(s, name, &h, spec, 0, 0, true);
    free(value);
}

/* A node whose colors and earlier neighbors are enough to be taken in parts. */
static void compare_clique(gpu_graph_case_t *s)
{
    const char *name = "clique:1030";
    csr_t g = {0};

    if (named_graph(name, s->pool, &g) != ST_OK)
        s->n_failed++;
    else
        for (int a = GRAPH_MIS; a <= GRAPH_TRIANGLES; a++) {
            graph_spec_t spec = {.algorithm = (graph_algorithm_t)a};

            gpu_graph_compare(s, name, &g, &spec, 1, 0, false);
        }
    csr_free(&g);
}

/* 2^1000 paths do not fit into the numbers of any backend. */
static void compare_refusals(gpu_graph_case_t *s, graph_template_t form)
{
    graph_spec_t spec = {.algorithm = GRAPH_BETWEENNESS};
    graph_run_t choice = {.loop_template = form};
    graph_context_t context = {&s->gpu, s->pool, NULL, &spec, &choice};
    int32_t sources[] = {1500, 0, 3000}; /* from the middle, 2^500 paths */
    graph_task_t task = {sources, 3, 0};
    graph_result_t r = {0};
    csr_t g = {0};
    void *state = NULL;
    const graph_backend_t *backend;
    bool ok = named_graph("diamonds:1000", s->pool, &g) == ST_OK;

    context.graph = &g;
    backend = ok ? gpu_graph_backend(&context) : NULL;
    ok = backend != NULL &&
         graph_result_create(graph_info(spec.algorithm), g.n_nodes, &r) == ST_OK &&
         backend->create(&context, &state) == ST_OK &&
         backend->compute(state, &task, &r) == ST_EINPUT;
    task.n_sources = 1; /* the state can go on */
    ok = ok && backend->compute(state, &task, &r) == ST_OK;
    printf("too many paths are refused: %s\n", ok ? "yes" : "FAILED");
    s->n_passed += ok;
    s->n_failed += !ok;
    if (backend != NULL)
        backend->destroy(state);
    graph_result_free(&r);
    csr_free(&g);
}

static double *make_x(int64_t n)
{
    double *x = malloc((size_t)(n + 1) * sizeof(*x));

    for (int64_t u = 0; x != NULL && u < n; u++)
        x[u] = 1 / (double)(3 * u + 1);
    return x;
}

/* A matrix of more columns than shared memory holds. */
static void compare_hot_columns(gpu_graph_case_t *s)
{
    const char *name = "rmat:17:16";
    csr_t g = {0};
    double *x = NULL;

    if (named_graph(name, s->pool, &g) == ST_OK && (x = make_x(g.n_nodes)) != NULL) {
        graph_spec_t spec = {.algorithm = GRAPH_SPMV, .x = x};

        compare_algorithm(s, name, &g, &spec);
        compare_products(s, name, &g, &spec);
    } else {
        s->n_failed++;
    }
    free(x);
    csr_free(&g);
}

static void compare_graph(gpu_graph_case_t *s, const char *name)
{
    csr_t g = {0};
    double *x = NULL;
    int64_t *priority = NULL;

    if (named_graph(name, s->pool, &g) != ST_OK || (x = make_x(g.n_nodes)) == NULL ||
        (priority = calloc((size_t)g.n_nodes + 1, sizeof(*priority))) == NULL) {
        s->n_failed++;
        goto out;
    }
    for (int64_t u = 0; u < g.n_nodes; u++)
        priority[u] = u * 7919 % 13 - 5;
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        graph_spec_t spec = {.algorithm = (graph_algorithm_t)a,
                             .damping = 0.85,
                             .tolerance = 1e-6,
                             .max_iterations = 100,
                             .x = x,
                             .priority = priority,
                             .order = GRAPH_BY_DEGREE,
                             .seed = 3};

        if (graph_check(spec.algorithm, &g, NULL, NULL) != ST_OK)
            continue;
        compare_algorithm(s, name, &g, &spec);
        if ((graph_info(spec.algorithm)->options & GRAPH_OPTIONS_FROM) != 0)
            compare_from(s, name, &g, &spec);
        if ((graph_info(spec.algorithm)->options & GRAPH_OPTIONS_LEAVES) != 0)
            compare_samples(s, name, &g, &spec);
        if (a == GRAPH_MST)
            compare_forests(s, name, &g);
        if (a == GRAPH_SPMV)
            compare_products(s, name, &g, &spec);
        if (a == GRAPH_PAGERANK) {
            spec.dangling = GRAPH_DANGLING_LEAK;
            spec.max_iterations = 7;
            compare_algorithm(s, name, &g, &spec);
        }
        if (a == GRAPH_MIS)
            for (spec.order = GRAPH_BY_ID; spec.order <= GRAPH_BY_WEIGHT; spec.order += 2)
                compare_algorithm(s, name, &g, &spec);
    }
out:
    free(priority);
    free(x);
    csr_free(&g);
}

int main(int argc, char **argv)
{
    gpu_graph_case_t s = {0};
    int code = gpu_case_begin(0, &s.cpu, &s.gpu, &s.pool);

    if (code != EXIT_SUCCESS)
        return code;
    if (argc > 1)
        for (int i = 1; i < argc; i++)
            compare_graph(&s, argv[i]);
    else
        for (size_t i = 0; i < sizeof(graphs) / sizeof(graphs[0]); i++)
            compare_graph(&s, graphs[i]);
    compare_clique(&s);
    compare_hot_columns(&s);
    compare_refusals(&s, GRAPH_TEMPLATE_AUTO);
    compare_refusals(&s, GRAPH_DPAR_OPT);
    printf("%d settings passed, %d failed\n", s.n_passed, s.n_failed);
    pool_destroy(s.pool);
    return s.n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
