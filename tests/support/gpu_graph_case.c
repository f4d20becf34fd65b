/*
 * gpu_graph_case.c - an algorithm on a graph, by `cuda` with every template, variant, way
 * of updating, splitting of nodes and threshold, and by `serial`.
 */
#include "tests/support/gpu_graph_case.h"

#include "kernels/registry/backends.h"

#include <stdio.h>
#include <string.h>

/* One algorithm on one graph. */
typedef struct {
    graph_context_t context; /* of the GPU */
    graph_task_t task;
    graph_result_t want;
    const char *graph_name;
    int n_runs, n_wrong;
} case_t;

const graph_backend_t *gpu_graph_backend(const graph_context_t *context)
{
    for (const backend_t *const *row = graph_table.rows; *row != NULL; row++) {
        const graph_backend_t *b = (const graph_backend_t *)*row;
        const bool is_serial = strcmp(b->base.name, "serial") == 0;

        if (b->base.kind == context->device->kind &&
            (is_serial || device_is_gpu(context->device)) &&
            graph_backend_takes(b, context))
            return b;
    }
    return NULL;
}

/* @return whether it ran; twice, because a state is used for many tasks */
static bool run(const graph_context_t *context, const graph_task_t *task, int n_times,
                graph_result_t *out)
{
    const graph_backend_t *backend = gpu_graph_backend(context);
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
    const graph_info_t *info =
        graph_info_on(c->context.spec->algorithm, c->context.graph);

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
    if (c->task.sample > 0 &&
        memcmp(got->count, c->want.count,
               (size_t)c->context.graph->n_nodes * sizeof(*got->count)) != 0) {
        printf("  %s %s: the counts differ\n", info->name, setting);
        return false;
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
    const graph_info_t *info =
        graph_info_on(c->context.spec->algorithm, c->context.graph);
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
    const graph_algorithm_t a = c->context.spec->algorithm;

    for (int t = 0; t < GRAPH_N_TEMPLATES; t++) {
        if (t > GRAPH_MERGE_PATH && /* these add no counts of leaves */
            (c->context.spec->leaves != NULL ||
             !(nested_graph_backend.obeys(a) &
               graph_template_choice((graph_template_t)t))))
            continue;
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
    for (int t = 0; t <= GRAPH_MERGE_PATH; t++) {
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

void gpu_graph_compare(gpu_graph_case_t *s, const char *name, const csr_t *g,
                       const graph_spec_t *spec, int n_sources, int sample, bool all)
{
    const graph_info_t *info = graph_info_on(spec->algorithm, g);
    graph_run_t choice = {.backend = "serial"};
    int32_t sources[GPU_GRAPH_SOURCES_MAX];
    case_t c = {.context = {&s->gpu, s->pool, g, spec, &choice},
                .task = {sources, n_sources, sample},
                .graph_name = name};
    graph_context_t reference = {&s->cpu, s->pool, g, spec, &choice};

    for (int k = 0; k < n_sources; k++)
        sources[k] = (int32_t)(g->n_nodes * (k + 1) / (n_sources + 3));
    if (gpu_graph_backend(&c.context) == NULL || gpu_graph_backend(&reference) == NULL)
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
