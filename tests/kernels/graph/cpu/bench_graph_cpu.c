/*
 * bench_graph_cpu.c - seconds of the graph algorithms on the CPU.
 *
 * usage: bench_graph_cpu FILE [THREADS [ROUNDS [ALGORITHM [BACKEND]]]]
 *
 * The graph is made symmetric, without loops and repeated arcs, as the GAP benchmark does
 * by default; without weights each edge gets one of 1 .. 255.  Rounds of BFS and SSSP
 * have different sources, each with arcs; betweenness has 4.  Prints a line per
 * algorithm: what, nodes x arcs, minimum, median and maximum seconds, minimum seconds of
 * processor time, iterations of the last round, 10^9 arcs of the graph per second
 * and iteration (from the minimum; BFS and SSSP: per second).
 */
#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/graphfile/read/graph_read.h"
#include "kernels/registry/backends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MAX = 1000, BC_SOURCES = 4 };

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static int32_t random_source(const csr_t *g, rng_t *rng)
{
    int32_t u;

    do
        u = (int32_t)rng_below(rng, (uint64_t)g->n_nodes);
    while (g->n_arcs > 0 && csr_degree(g, u) == 0);
    return u;
}

static status_t bench(const graph_context_t *context, int n_rounds)
{
    const csr_t *g = context->graph;
    const graph_info_t *info = graph_info_on(context->spec->algorithm, context->graph);
    const graph_backend_t *backend;
    double seconds[ROUNDS_MAX], min_processor_s = INFINITY;
    int64_t n_iterations = 0;
    rng_t rng = rng_seed(1);
    void *state = NULL;
    status_t st = graph_backend_choose(context, &backend);

    if (st == ST_OK)
        st = backend->create(context, &state);
    for (int i = -1; st == ST_OK && i < n_rounds; i++) { /* -1: to warm up */
        int32_t sources[BC_SOURCES];
        graph_task_t task = {sources, info->is_summed ? BC_SOURCES : 1, 0};
        graph_result_t r;
        clock_t start;

        for (int k = 0; k < BC_SOURCES; k++)
            sources[k] = random_source(g, &rng);
        if ((st = graph_result_create(info, g->n_nodes, &r)) != ST_OK)
            break;
        start = clock();
        st = backend->compute(state, &task, &r);
        if (i >= 0) {
            seconds[i] = r.seconds;
            min_processor_s =
                fmin(min_processor_s, (double)(clock() - start) / CLOCKS_PER_SEC);
        }
        n_iterations = r.n_iterations;
        graph_result_free(&r);
    }
    if (state != NULL)
        backend->destroy(state);
    if (st != ST_OK)
        return st;
    qsort(seconds, (size_t)n_rounds, sizeof(*seconds), by_value);
    printf("%s/%s\t%lldx%lld\t%.3e\t%.3e\t%.3e\t%.3e\t%lld\t%.3f\n", info->name,
           backend->base.name, (long long)g->n_nodes, (long long)g->n_arcs, seconds[0],
           seconds[n_rounds / 2], seconds[n_rounds - 1], min_processor_s,
           (long long)n_iterations,
           1e-9 * (double)g->n_arcs *
               (double)(info->has_sources && !info->is_summed ? 1 : n_iterations) /
               seconds[0]);
    fflush(stdout);
    return ST_OK;
}

static status_t bench_all(const csr_t *g, pool_t *pool, int n_rounds, const char *only,
                          const char *backend)
{
    const device_t device = device_cpu();
    const graph_run_t run = {.backend = backend};
    double *x = malloc((size_t)(g->n_nodes + 1) * sizeof(*x));
    status_t st = x != NULL ? ST_OK : log_nomem("a vector");

    for (int64_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        x[u] = 1 / (double)(u + 1);
    for (int a = 0; st == ST_OK && a < GRAPH_N_ALGORITHMS; a++) {
        const graph_spec_t spec = {.algorithm = a,
                                   .damping = 0.85,
                                   .tolerance = 1e-4, /* as the GAP benchmark */
                                   .max_iterations = 20,
                                   .dangling = GRAPH_DANGLING_LEAK,
                                   .order = GRAPH_BY_DEGREE,
                                   .x = x,
                                   .seed = 1};
        const graph_context_t context = {&device, pool, g, &spec, &run};

        if (only == NULL || strcmp(only, graph_info(a)->name) == 0 ||
            strcmp(only, "all") == 0)
            st = bench(&context, n_rounds);
    }
    free(x);
    return st;
}

int main(int argc, char **argv)
{
    int n_threads = argc > 2 ? atoi(argv[2]) : device_cpu().n_cores;
    int n_rounds = argc > 3 ? atoi(argv[3]) : 16;
    const graph_read_options_t options = {.is_directed = true};
    csr_options_t build = {.symmetrize = true, .dedupe = true, .drop_loops = true};
    graph_edges_t edges = {0};
    csr_t g = {0};
    pool_t *pool = NULL;
    status_t st;

    if (argc < 2 || n_threads < 1 || n_rounds < 1 || n_rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench_graph_cpu FILE [THREADS [ROUNDS [ALGORITHM "
                        "[BACKEND]]]]\n");
        return EXIT_USAGE;
    }
    if ((st = graph_read(argv[1], &options, &edges)) == ST_OK &&
        (st = pool_create(n_threads, &pool)) == ST_OK) {
        if (edges.weight == NULL && edges.value == NULL) {
            build.weights = CSR_WEIGHTS_UNIFORM;
            build.low = 1;
            build.high = 255;
            build.seed = 1;
        }
        st = csr_build(&edges, &build, pool, &g);
    }
    graph_edges_free(&edges);
    if (st == ST_OK)
        st = bench_all(&g, pool, n_rounds, argc > 4 ? argv[4] : NULL,
                       argc > 5 ? argv[5] : NULL);
    csr_free(&g);
    pool_destroy(pool);
    return status_exit_code(st);
}
