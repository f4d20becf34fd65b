/*
 * bench_graph.c - times the graph backend `cuda`: each algorithm with each template, the
 * kernels alone.
 *
 * It prints one tab-separated line per setting: algorithm, graph, setting, minimum,
 * median and maximum milliseconds, and 10^9 edges per second by the median: arcs of the
 * graph, per iteration of PageRank.
 *
 * usage: bench_graph GRAPH [RUNS [ALGORITHM [SETTING]]]  (named_graph.h; parts of names)
 */
#include "kernels/graph/engine/graph_engine.h"
#include "tests/support/gpu_case.h"
#include "tests/support/named_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 1000 };

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* @return whether it ran */
static bool time_one(const graph_context_t *context, const graph_task_t *task,
                     const char *graph, const char *setting, int n_runs)
{
    const graph_backend_t *backend = NULL;
    const graph_info_t *info = graph_info(context->spec->algorithm);
    graph_result_t r = {0};
    double seconds[MAX_RUNS], edges = (double)context->graph->n_arcs;
    void *state = NULL;
    bool ok = graph_engine_choose(context, &backend) == ST_OK &&
              graph_result_create(info, context->graph->n_nodes, &r) == ST_OK &&
              backend->create(context, &state) == ST_OK;

    for (int k = -1; ok && k < n_runs; k++) { /* the first one warms up */
        r.seconds = 0;
        r.n_iterations = r.n_visited = 0;
        r.decisions.len = 0;
        ok = backend->compute(state, task, &r) == ST_OK;
        if (k >= 0)
            seconds[k] = r.seconds * 1000;
    }
    if (ok) {
        qsort(seconds, (size_t)n_runs, sizeof(*seconds), by_value);
        if (context->spec->algorithm == GRAPH_PAGERANK)
            edges *= (double)r.n_iterations;
        printf("%s\t%s\t%s\t%.4f\t%.4f\t%.4f\t%.2f\t%lld iterations\t%lld arcs\n",
               info->name, graph, setting, seconds[0], seconds[n_runs / 2],
               seconds[n_runs - 1], edges / seconds[n_runs / 2] / 1e6,
               (long long)r.n_iterations, (long long)r.n_visited);
        if (r.decisions.len > 0)
            printf("%.*s", (int)r.decisions.len, (const char *)r.decisions.data);
        fflush(stdout);
    }
    if (backend != NULL)
        backend->destroy(state);
    graph_result_free(&r);
    return ok;
}

/* @return whether the GPU backend has the algorithm */
static bool has(const graph_context_t *context)
{
    const graph_backend_t *const *b = graph_backends();

    while (*b != NULL && (*b)->kind != DEVICE_CUDA)
        b++;
    return *b != NULL && (*b)->takes(context);
}

static bool wanted(const char *setting, const char *part)
{
    return part == NULL || strstr(setting, part) != NULL;
}

static bool time_settings(graph_context_t *c, const graph_task_t *task, const char *graph,
                          int n_runs, const char *part)
{
    bool traverses = c->spec->algorithm == GRAPH_BFS || c->spec->algorithm == GRAPH_SSSP;
    bool ok = true;

    for (int t = 0; ok && t < GRAPH_N_TEMPLATES; t++) {
        graph_run_t choice = {.loop_template = (graph_template_t)t};

        c->run = &choice;
        if (wanted(graph_template_name[t], part))
            ok = time_one(c, task, graph, graph_template_name[t], n_runs);
    }
    for (int v = 1; ok && traverses && v < GRAPH_N_VARIANTS; v++) {
        graph_run_t choice = {.variant = (graph_variant_t)v};
        bool is_slow = c->spec->algorithm == GRAPH_SSSP && v < GRAPH_U_T_BM;

        c->run = &choice;
        if (wanted(graph_variant_name[v], part))
            ok = time_one(c, task, graph, graph_variant_name[v], is_slow ? 1 : n_runs);
    }
    for (int k = 0; ok && traverses && k < 2; k++) {
        graph_run_t choice = {.split_degree = k == 0 ? -1 : 0,
                              .variant = k == 0 ? GRAPH_VARIANT_AUTO : GRAPH_U_B_QU,
                              .update = k == 0 ? GRAPH_ATOMIC : GRAPH_RACY};
        const char *setting = k == 0 ? "split" : "U_B_QU racy";

        c->run = &choice;
        if (wanted(setting, part))
            ok = time_one(c, task, graph, setting, n_runs);
    }
    return ok;
}

int main(int argc, char **argv)
{
    device_t cpu, gpu;
    pool_t *pool = NULL;
    csr_t g = {0};
    double *x;
    int32_t source = 0;
    int code = gpu_case_begin(0, &cpu, &gpu, &pool);
    int n_runs = argc > 2 ? atoi(argv[2]) : 10;
    bool ok = code == EXIT_SUCCESS && argc > 1 && n_runs > 0 && n_runs <= MAX_RUNS &&
              named_graph(argv[1], pool, &g) == ST_OK;

    if (code != EXIT_SUCCESS)
        return code;
    x = malloc((size_t)(g.n_nodes + 1) * sizeof(*x));
    for (int32_t u = 0; ok && x != NULL && u < g.n_nodes; u++) {
        x[u] = 1 / (double)(u + 1);
        source = csr_degree(&g, u) > csr_degree(&g, source) ? u : source;
    }
    if (ok)
        printf("%s: %lld nodes, %lld arcs, degree at most %lld\n", argv[1],
               (long long)g.n_nodes, (long long)g.n_arcs, (long long)csr_max_degree(&g));
    for (int a = 0; ok && x != NULL && a < GRAPH_N_ALGORITHMS; a++) {
        graph_spec_t spec = {.algorithm = (graph_algorithm_t)a,
                             .damping = 0.85,
                             .tolerance = 1e-6,
                             .max_iterations = 100,
                             .order = GRAPH_BY_DEGREE,
                             .x = x};
        graph_run_t choice = {0};
        graph_context_t c = {&gpu, pool, &g, &spec, &choice};

        if (has(&c) &&
            wanted(graph_info(spec.algorithm)->name, argc > 3 ? argv[3] : NULL))
            ok = time_settings(&c, &(graph_task_t){&source, 1}, argv[1], n_runs,
                               argc > 4 ? argv[4] : NULL);
    }
    free(x);
    csr_free(&g);
    pool_destroy(pool);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
