/*
 * gpu_graph.c - the graph backend `cuda` returns the same bytes as `serial`, with every
 * template, variant, way of updating, splitting of nodes and threshold.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It prints one line per
 * graph and algorithm, and exits with 1 if any value differs, 77 without a GPU.
 *
 * usage: gpu_graph [GRAPH ...]  (named_graph.h)
 */
#include "kernels/registry/backends.h"
#include "tests/support/gpu_case.h"
#include "tests/support/named_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes at the limits of words, warps and blocks; rows of every class; no arcs at all. */
static const char *const graphs[] = {
    "rmat:10:16",   "rmat:14:16",  "web:11:12", "grid:37",    "grid:200",
    "citeseer:700", "funnel:2300", "star:5000", "path:1",     "path:32",
    "path:33",      "path:257",    "path:1500", "empty:1",    "empty:70",
    "star:300",     "rmat:5:40",   "web:13:40", "star:20000", "diamonds:900",
};

enum { MAX_SOURCES = 1200 };

typedef struct {
    device_t cpu, gpu;
    pool_t *pool;
    int n_passed, n_failed;
} comparison_t;

/* One algorithm on one graph. */
typedef struct {
    graph_context_t context; /* of the GPU */
    graph_task_t task;
    graph_result_t want;
    const char *graph_name;
    int n_runs, n_wrong;
} case_t;

static const graph_backend_t *backend_of(const graph_context_t *context)
{
    const device_kind_t kind = context->device->kind;
    const graph_backend_t *b =
        (const graph_backend_t *)backend_find(&graph_table,
                                              kind == DEVICE_CUDA ? NULL : "serial",
                                              kind);

    return b != NULL && b->takes(context) ? b : NULL;
}

/* @return whether it ran; twice, because a state is used for many tasks */
static bool run(const graph_context_t *context, const graph_task_t *task, int n_times,
                graph_result_t *out)
{
    const graph_backend_t *backend = backend_of(context);
    void *state = NULL;
    bool ok = backend != NULL && backend->create(context, &state) == ST_OK;

    for (int k = 0; ok && k < n_times; k++)
        ok = backend->compute(state, task, out) == ST_OK;
    if (backend != NULL)
        backend->destroy(state);
    return ok;
}

/* @return whether all values are equal; prints the first one that is not */
static bool equals(const case_t *c, const graph_result_t *got, const char *setting)
{
    const graph_info_t *info = graph_info(c->context.spec->algorithm);

    for (int k = 0; k < info->n_columns; k++) {
        int bytes = graph_type_bytes(info->columns[k].type);
        const unsigned char *a = c->want.column[k], *b = got->column[k];

        for (int64_t u = 0; u < c->context.graph->n_nodes; u++)
            if (memcmp(a + u * bytes, b + u * bytes, (size_t)bytes) != 0) {
                printf("  %s %s: %s of node %lld of %lld differs\n", info->name, setting,
                       info->columns[k].name, (long long)u,
                       (long long)c->context.graph->n_nodes);
                return false;
            }
    }
    if (got->n_arcs != c->want.n_arcs ||
        (got->n_arcs > 0 && memcmp(got->arcs, c->want.arcs,
                                   (size_t)got->n_arcs * sizeof(*got->arcs)) != 0)) {
        printf("  %s %s: the arcs differ\n", info->name, setting);
        return false;
    }
    return true;
}

static void compare(case_t *c, const graph_run_t *choice, const char *setting)
{
    const graph_info_t *info = graph_info(c->context.spec->algorithm);
    graph_result_t got = {0};

    c->context.run = choice;
    c->n_runs++;
    if (graph_result_create(info, c->context.graph->n_nodes, &got) != ST_OK ||
        !run(&c->context, &c->task, 2, &got) || !equals(c, &got, setting)) {
        printf("  FAILED: %s %s %s\n", c->graph_name, info->name, setting);
        c->n_wrong++;
    }
    graph_result_free(&got);
}

static void compare_templates(case_t *c)
{
    for (int t = 0; t < GRAPH_N_TEMPLATES; t++) {
        compare(c, &(graph_run_t){.loop_template = (graph_template_t)t},
                graph_template_name[t]);
        if (t == GRAPH_DUAL_QUEUE || t == GRAPH_DBUF_GLOBAL || t == GRAPH_DBUF_SHARED)
            compare(c,
                    &(graph_run_t){.loop_template = (graph_template_t)t,
                                   .lb_threshold = 200},
                    "lb-threshold 200");
    }
}

static void compare_splits(case_t *c)
{
    char text[64];

    for (int v = 0; v < GRAPH_N_VARIANTS; v += 4)
        for (int split = -1; split <= 20; split += 7)
            for (int kind = GRAPH_SPLIT_COPIES; kind <= GRAPH_SPLIT_VIRTUAL; kind++) {
                snprintf(text, sizeof(text), "%s MDA %d %s", graph_variant_name[v], split,
                         kind == GRAPH_SPLIT_COPIES ? "copies" : "virtual");
                compare(c,
                        &(graph_run_t){.variant = (graph_variant_t)v,
                                       .split = (graph_split_t)kind,
                                       .split_degree = split,
                                       .update = split == 6 ? GRAPH_RACY : GRAPH_ATOMIC},
                        text);
            }
}

/* All ways through the choices of the adaptive runtime, also on small graphs. */
static void compare_thresholds(case_t *c)
{
    static const struct {
        const char *text;
        graph_tuning_t tuning;
    } cases[] = {
        {"always wide", {.small_set = 1, .skew = 1e-9}},
        {"wide after a pull", {.small_set = 40, .skew = 1e-9}},
        {"never a bitmap", {.small_set = 1, .large_set = 2}},
        {"always a bitmap", {.small_set = 1, .large_set = 1e-9, .low_degree = 1e9}},
        {"queue, then bitmap", {.small_set = 40, .large_set = 0.1}},
        {"narrow buckets, one block", {.delta = 1, .blocks_per_core = 1}},
        {"choices of the run before", {.replay = 1, .small_set = 40}},
        {"empty buckets", {.delta = 1e-9, .small_set = 40}},
        {"wide buckets", {.delta = 1000, .small_set = 20, .skew = 1e9}},
    };

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
        for (int kind = GRAPH_TEMPLATE_AUTO; kind <= GRAPH_BLOCK_MAPPED; kind++)
            compare(c,
                    &(graph_run_t){.tuning = cases[k].tuning,
                                   .loop_template = (graph_template_t)kind},
                    cases[k].text);
}

static void compare_all(case_t *c)
{
    char text[64];

    compare_templates(c);
    if (c->context.spec->algorithm != GRAPH_BFS &&
        c->context.spec->algorithm != GRAPH_SSSP)
        return;
    for (int v = 1; v < GRAPH_N_VARIANTS; v++)
        compare(c, &(graph_run_t){.variant = (graph_variant_t)v}, graph_variant_name[v]);
    for (int t = 0; t < GRAPH_N_TEMPLATES; t++) {
        snprintf(text, sizeof(text), "U_T_BM %s", graph_template_name[t]);
        compare(c,
                &(graph_run_t){.loop_template = (graph_template_t)t,
                               .variant = GRAPH_U_T_BM},
                text);
    }
    compare_splits(c);
    compare_thresholds(c);
    for (int v = 0; v < GRAPH_N_VARIANTS; v++) {
        snprintf(text, sizeof(text), "%s racy", graph_variant_name[v]);
        compare(c, &(graph_run_t){.variant = (graph_variant_t)v, .update = GRAPH_RACY},
                text);
    }
}

/* @param n_sources  of summed algorithms
 * @param all        with all settings */
static void compare_sources(comparison_t *s, const char *name, const csr_t *g,
                            const graph_spec_t *spec, int n_sources, bool all)
{
    const graph_info_t *info = graph_info(spec->algorithm);
    graph_run_t choice = {.backend = "serial"};
    int32_t sources[MAX_SOURCES];
    case_t c = {.context = {&s->gpu, s->pool, g, spec, &choice},
                .task = {sources, n_sources},
                .graph_name = name};
    graph_context_t reference = {&s->cpu, s->pool, g, spec, &choice};

    for (int k = 0; k < n_sources; k++)
        sources[k] = (int32_t)(g->n_nodes * (k + 1) / (n_sources + 3));
    if (backend_of(&c.context) == NULL || backend_of(&reference) == NULL)
        return;
    if (graph_result_create(info, g->n_nodes, &c.want) != ST_OK ||
        !run(&reference, &c.task, 1, &c.want))
        c.n_wrong++;
    else if (all)
        compare_all(&c);
    else
        compare(&c, &(graph_run_t){0}, "default");
    printf("%-14s %-12s %3d settings, %d wrong\n", name, info->name, c.n_runs, c.n_wrong);
    fflush(stdout);
    s->n_passed += c.n_runs - c.n_wrong;
    s->n_failed += c.n_wrong;
    graph_result_free(&c.want);
}

static void compare_algorithm(comparison_t *s, const char *name, const csr_t *g,
                              const graph_spec_t *spec)
{
    bool is_summed = graph_info(spec->algorithm)->is_summed;

    compare_sources(s, name, g, spec, is_summed ? 4 : 1, true);
    if (is_summed) { /* all blocks for one source; more sources than blocks */
        compare_sources(s, name, g, spec, 1, false);
        compare_sources(s, name, g, spec, g->n_arcs < 20000 ? MAX_SOURCES : 150, false);
    }
}

/* Weights with many ties; real weights, some of them negative, 0 and -0. */
static void compare_forests(comparison_t *s, const char *name, const csr_t *g)
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
    compare_sources(s, name, &h, &spec, 0, true);
    h.weight = NULL;
    compare_sources(s, name, &h, &spec, 0, false);
    h.value = value;
    compare_sources(s, name, &h, &spec, 0, true);
    for (int64_t a = 0; a < g->n_arcs; a++)
        value[a] = 1 / (double)(1 + g->weight[a]);
    compare_sources(s, name, &h, &spec, 0, false);
out:
    free(value);
    free(weight);
}

/* Matrices without values, and with real ones. */
static void compare_products(comparison_t *s, const char *name, const csr_t *g,
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
    compare_sources(s, name, &h, spec, 0, true);
    h.value = value;
    compare_sources(s, name, &h, spec, 0, true);
    free(value);
}

/* A node whose colors and earlier neighbors are enough to be taken in parts. */
static void compare_clique(comparison_t *s)
{
    const char *name = "clique:1030";
    csr_t g = {0};

    if (named_graph(name, s->pool, &g) != ST_OK)
        s->n_failed++;
    else
        for (int a = GRAPH_MIS; a <= GRAPH_TRIANGLES; a++) {
            graph_spec_t spec = {.algorithm = (graph_algorithm_t)a};

            compare_sources(s, name, &g, &spec, 1, false);
        }
    csr_free(&g);
}

/* 2^1000 paths do not fit into the numbers of either backend. */
static void compare_refusals(comparison_t *s)
{
    graph_spec_t spec = {.algorithm = GRAPH_BETWEENNESS};
    graph_run_t choice = {0};
    graph_context_t context = {&s->gpu, s->pool, NULL, &spec, &choice};
    int32_t sources[] = {1500, 0, 3000}; /* from the middle, 2^500 paths */
    graph_task_t task = {sources, 3};
    graph_result_t r = {0};
    csr_t g = {0};
    void *state = NULL;
    const graph_backend_t *backend;
    bool ok = named_graph("diamonds:1000", s->pool, &g) == ST_OK;

    context.graph = &g;
    backend = ok ? backend_of(&context) : NULL;
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
static void compare_hot_columns(comparison_t *s)
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

static void compare_graph(comparison_t *s, const char *name)
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

        compare_algorithm(s, name, &g, &spec);
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
    comparison_t s = {0};
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
    compare_refusals(&s);
    printf("%d settings passed, %d failed\n", s.n_passed, s.n_failed);
    pool_destroy(s.pool);
    return s.n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
