/*
 * compare_graphs.c - the graph backends return the bytes of `serial`, for graphs of all
 * shapes and sizes around those of their blocks; so do ranks that divide a graph, also
 * when others go on.
 */
#include "graph/verify/graph_verify.h"
#include "kernels/registry/backends.h"
#include "tests/kernels/registry/comparison.h"
#include "tests/support/earlier_result.h"
#include "tests/support/made_graph.h"
#include "tests/support/made_leaf_counts.h"
#include "tests/support/part_run.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    csr_t graph;
    graph_spec_t spec;
    graph_task_t task;
    bool is_resumed; /* divided graphs: by other ranks, after each number of steps */
} case_t;

/* @param counted  whether iterations are those of the definition */
static void take_result(const case_t *c, const graph_result_t *r, bool counted,
                        result_t *out)
{
    static const value_t types[GRAPH_N_TYPES] = {[GRAPH_INT32] = VALUE_I32,
                                                 [GRAPH_INT64] = VALUE_I64,
                                                 [GRAPH_REAL] = VALUE_F64,
                                                 [GRAPH_NODE] = VALUE_I32,
                                                 [GRAPH_FLAG] = VALUE_U8};
    const graph_info_t *info = graph_info_on(c->spec.algorithm, &c->graph);

    for (int k = 0; k < info->n_columns; k++)
        result_add(out, info->columns[k].name, types[info->columns[k].type],
                   c->graph.n_nodes, 1, r->column[k],
                   (size_t)graph_type_bytes(info->columns[k].type));
    if (c->task.sample > 0)
        result_add(out, "count", VALUE_I64, c->graph.n_nodes, 1, r->count,
                   sizeof(*r->count));
    result_add(out, "arcs", VALUE_I64, r->n_arcs, 1, r->arcs, sizeof(*r->arcs));
    if (counted)
        result_add(out, "iterations", VALUE_I64, 1, 1, &r->n_iterations, 0);
}

static void expect(void *one, result_t *out)
{
    case_t *c = one;
    const device_t cpu = device_cpu();
    const graph_run_t run = {0};
    const graph_context_t context = {&cpu, NULL, &c->graph, &c->spec, &run};
    graph_result_t r;

    MUST(made_graph_compute(&serial_graph_backend, &context, &c->task, &r) == ST_OK);
    MUST(graph_verify(&c->graph, &c->spec, &c->task, &r) == ST_OK);
    take_result(c, &r, true, out);
    graph_result_free(&r);
}

/* Another task comes first: memory that a state keeps holds nothing of it. */
static computed_t compute(const void *one, const setting_t *s, result_t *out)
{
    const case_t *c = one;
    const graph_backend_t *backend = (const graph_backend_t *)s->row;
    const graph_info_t *info = graph_info_on(c->spec.algorithm, &c->graph);
    const graph_run_t run = {0};
    const graph_context_t context = {&s->device, s->pool, &c->graph, &c->spec, &run};
    const int32_t other = (int32_t)(c->graph.n_nodes - 1);
    graph_result_t r, before;
    void *state = NULL;

    if (!graph_table.takes(s->row, &context))
        return REFUSED;
    MUST(graph_result_create(info, c->graph.n_nodes, &r) == ST_OK &&
         graph_result_create(info, c->graph.n_nodes, &before) == ST_OK);
    MUST(backend->create(&context, &state) == ST_OK);
    if (c->task.sample > 0)
        MUST(backend->compute(state, &(graph_task_t){NULL, 0, 1}, &before) == ST_OK);
    if (info->has_sources)
        MUST(backend->compute(state, &(graph_task_t){&other, 1, 0}, &before) == ST_OK);
    MUST(backend->compute(state, &c->task, &r) == ST_OK);
    backend->destroy(state);
    take_result(c, &r, c->spec.algorithm == GRAPH_PAGERANK, out);
    graph_result_free(&r);
    graph_result_free(&before);
    return COMPUTED;
}

const comparison_kind_t compare_graphs = {.name = "graph",
                                          .table = &graph_table,
                                          .reference = &serial_graph_backend.base,
                                          .every_pool = true,
                                          .n_threads = (const int[]){1, 2, 3, 8, -1},
                                          .ways = (const char *const[]){"", NULL},
                                          .expect = expect,
                                          .compute = compute};

/* ---- cases ---- */

static void name_graph(const made_graph_t *what, char text[COMPARISON_TEXT_BYTES])
{
    snprintf(text, COMPARISON_TEXT_BYTES, "of shape %d, weights %d, %d nodes, %s",
             what->shape, what->weights, (int)what->n,
             what->is_directed ? "directed" : "undirected");
}

/* The same, from a result on an earlier graph. */
static void compare_from(comparison_t *comparison, const case_t *one, const char *text)
{
    case_t c = *one;
    char with[COMPARISON_TEXT_BYTES];
    earlier_result_t earlier;

    MUST(earlier_result_make(&c.graph, &c.spec, &earlier));
    earlier_result_use(&earlier, &c.spec);
    for (int r = GRAPH_RESTART_AUTO; r <= GRAPH_RESTART_SET; r++) {
        if (r != GRAPH_RESTART_AUTO && c.spec.algorithm != GRAPH_PAGERANK)
            continue;
        c.spec.restart = (graph_restart_t)r;
        snprintf(with, sizeof(with), "%.100s, restart %s", text, graph_restart_name[r]);
        comparison_case(comparison, graph_info(c.spec.algorithm)->name, with, &c);
    }
    earlier_result_free(&earlier);
}

/* Counts of leaves, in all samples. */
static void compare_samples(comparison_t *comparison, const case_t *one, const char *text)
{
    leaf_counts_t leaves = made_leaf_counts(&one->graph);
    case_t c = *one;
    char with[COMPARISON_TEXT_BYTES];

    c.spec.leaves = &leaves;
    for (c.task.sample = 1; c.task.sample <= MADE_SAMPLES; c.task.sample++) {
        snprintf(with, sizeof(with), "%.100s, sample %d", text, (int)c.task.sample);
        comparison_case(comparison, graph_info(c.spec.algorithm)->name, with, &c);
    }
    arrays_free(&leaf_counts_arrays, &leaves);
}

/* All algorithms on a graph, with sources and options that the seed chooses. */
static void compare_graph(comparison_t *comparison, const made_graph_t *what,
                          bool is_long)
{
    enum { SOURCES = 20 };
    case_t c = {.graph = made_graph(what)};
    int32_t sources[SOURCES];
    char text[COMPARISON_TEXT_BYTES];

    name_graph(what, text);
    for (int i = 0; i < SOURCES; i++)
        sources[i] = (int32_t)(c.graph.n_nodes * i / SOURCES);
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        const graph_info_t *info = graph_info((graph_algorithm_t)a);

        c.spec = made_graph_spec((graph_algorithm_t)a);
        c.spec.order = (graph_order_t)(what->seed % 3);
        c.spec.dangling = what->seed % 2 ? GRAPH_DANGLING_LEAK : GRAPH_DANGLING_SPREAD;
        c.task = (graph_task_t){sources + what->seed % SOURCES, 1, 0};
        if (info->is_summed)
            c.task = (graph_task_t){sources, what->seed % 2 ? SOURCES : 4, 0};
        if ((info->has_sources && c.graph.n_nodes == 0) ||
            (info->is_undirected && what->is_directed) ||
            graph_check(c.spec.algorithm, &c.graph, NULL, NULL) != ST_OK ||
            !comparison_has(comparison, info->name, is_long))
            continue;
        comparison_case(comparison, info->name, text, &c);
        if ((info->options & GRAPH_OPTIONS_FROM) != 0)
            compare_from(comparison, &c, text);
        if ((info->options & GRAPH_OPTIONS_LEAVES) != 0)
            compare_samples(comparison, &c, text);
    }
    csr_free(&c.graph);
}

void compare_graphs_cases(comparison_t *c)
{
    static const int64_t sizes[] = {1, 2, 7, 63, 65, 300};
    /* more nodes than a block of any loop or sum, and every kind of weights */
    static const made_graph_t larger[] = {{MADE_RMAT, MADE_WEIGHTS, 8192, false, 1},
                                          {MADE_RMAT, MADE_LARGE_WEIGHTS, 5000, true, 2},
                                          {MADE_RANDOM, MADE_VALUES, 6000, false, 3},
                                          {MADE_RANDOM, MADE_SMALL_WEIGHTS, 6000, false,
                                           4},
                                          {MADE_SPARSE, MADE_WEIGHTS, 20000, false, 5},
                                          {MADE_STAR, MADE_WEIGHTS, 9000, false, 6},
                                          {MADE_GRID, MADE_LARGE_WEIGHTS, 4900, false, 7},
                                          {MADE_CLIQUES, MADE_SMALL_WEIGHTS, 6000, false,
                                           8},
                                          {MADE_PATH, MADE_LARGE_WEIGHTS, 3000, false, 9},
                                          {MADE_RMAT, MADE_WIDE_VALUES, 3000, true, 10},
                                          {MADE_GRID, MADE_WIDE_VALUES, 3000, false, 11},
                                          {MADE_TREE, MADE_NO_WEIGHTS, 30000, true, 12},
                                          {MADE_PATH, MADE_NO_WEIGHTS, 9000, true, 13}};
    uint64_t seed = 0;

    for (int shape = 0; shape < MADE_N_SHAPES; shape++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            for (int is_directed = 0; is_directed < 2; is_directed++, seed++)
                compare_graph(c,
                              &(made_graph_t){(made_shape_t)shape,
                                              (made_weights_t)(seed % MADE_N_WEIGHTS),
                                              shape == MADE_COMPLETE ? sizes[i] % 50 + 1
                                                                     : sizes[i],
                                              is_directed, seed},
                              false);
    for (size_t i = 0; i < sizeof(larger) / sizeof(larger[0]); i++)
        compare_graph(c, &larger[i], i % 2 == 1);
}

/* ---- divided graphs ---- */

/* On 1, 2, 3 and 5 ranks; then after `stop_after` steps on another number of them. */
static const part_run_t divisions[] = {
    {.n_ranks = 1, .stop_after = -1},
    {.n_ranks = 2, .stop_after = -1},
    {.n_ranks = 3, .stop_after = -1},
    {.n_ranks = 5, .stop_after = -1},
    {.n_ranks = 1, .stop_after = 0, .n_ranks_later = 3},
    {.n_ranks = 2, .stop_after = 1, .n_ranks_later = 2},
    {.n_ranks = 3, .stop_after = 2, .n_ranks_later = 1},
    {.n_ranks = 1, .stop_after = 3, .n_ranks_later = 3},
    {.n_ranks = 2, .stop_after = 4, .n_ranks_later = 2},
    {.n_ranks = 3, .stop_after = 5, .n_ranks_later = 1},
};

static computed_t compute_parts(const void *one, const setting_t *s, result_t *out)
{
    const case_t *c = one;
    const graph_info_t *info = graph_info_on(c->spec.algorithm, &c->graph);
    part_run_t run = divisions[s->way];
    graph_result_t r;

    if ((run.stop_after >= 0) != c->is_resumed)
        return NO_CASE;
    if (!part_table.takes(s->row, &(part_context_t){.spec = &c->spec}))
        return REFUSED;
    run.backend = (const part_backend_t *)s->row;
    run.device = &s->device;
    run.n_threads = s->n_threads; /* each rank has a pool of its own */
    run.graph = &c->graph;
    run.spec = &c->spec;
    run.source = *c->task.sources;
    MUST(graph_result_create(info, c->graph.n_nodes, &r) == ST_OK);
    MUST(part_run(&run, &r) == ST_OK);
    take_result(c, &r, true, out);
    graph_result_free(&r);
    return COMPUTED;
}

const comparison_kind_t compare_parts = {
    .name = "part",
    .table = &part_table,
    .n_threads = (const int[]){1, 2, -1},
    .ways =
        (const char *const[]){"1 rank", "2 ranks", "3 ranks", "5 ranks",
                              "resumed at once", "after 1 step", "after 2 steps",
                              "after 3 steps", "after 4 steps", "after 5 steps", NULL},
    .expect = expect,
    .compute = compute_parts};

/* @param is_leaking  of the rank of nodes without arcs, from node 0 */
static void compare_part(comparison_t *comparison, const made_graph_t *what,
                         bool is_resumed, graph_algorithm_t algorithm, bool is_leaking)
{
    case_t c = {.graph = made_graph(what),
                .spec = made_graph_spec(algorithm),
                .is_resumed = is_resumed};
    const int32_t source = is_leaking ? 0 : (int32_t)(c.graph.n_nodes / 2);
    char text[COMPARISON_TEXT_BYTES];

    name_graph(what, text);
    c.task = (graph_task_t){&source, graph_info(algorithm)->has_sources, 0};
    if (is_leaking)
        c.spec.dangling = GRAPH_DANGLING_LEAK;
    if (c.graph.n_nodes > 0)
        comparison_case(comparison, graph_info(algorithm)->name, text, &c);
    csr_free(&c.graph);
}

static void compare_divided(comparison_t *c, const made_graph_t *what, bool is_resumed,
                            bool is_long)
{
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        const graph_info_t *info = graph_info((graph_algorithm_t)a);

        if (!graph_is_divisible(info) || !comparison_has(c, info->name, is_long))
            continue;
        compare_part(c, what, is_resumed, (graph_algorithm_t)a, false);
        if (a == GRAPH_PAGERANK)
            compare_part(c, what, is_resumed, GRAPH_PAGERANK, true);
    }
}

void compare_parts_cases(comparison_t *c)
{
    static const int64_t sizes[] = {3, 1, 300, 64, 1500};

    for (int is_directed = 0; is_directed < 2; is_directed++) {
        for (int shape = MADE_ISOLATED; shape < MADE_N_SHAPES; shape++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                if (shape != MADE_COMPLETE || sizes[i] <= 300)
                    compare_divided(c,
                                    &(made_graph_t){.shape = (made_shape_t)shape,
                                                    .n = sizes[i],
                                                    .is_directed = is_directed == 1,
                                                    .seed = 7},
                                    false, i % 2 == 1 || i == 4);
        compare_divided(c,
                        &(made_graph_t){.shape = MADE_RMAT,
                                        .n = 1000,
                                        .is_directed = is_directed == 1,
                                        .seed = 3},
                        true, false);
    }
}
