/*
 * serial_backend.c - chooses the function of an algorithm and times it.
 */
#include "kernels/graph/serial/serial_backend.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>

static const serial_fn_t functions[GRAPH_N_ALGORITHMS] = {
    [GRAPH_BFS] = serial_bfs,           [GRAPH_SSSP] = serial_sssp,
    [GRAPH_PAGERANK] = serial_pagerank, [GRAPH_BETWEENNESS] = serial_betweenness,
    [GRAPH_SPMV] = serial_spmv,         [GRAPH_COMPONENTS] = serial_components,
    [GRAPH_MST] = serial_mst,           [GRAPH_MIS] = serial_mis,
    [GRAPH_COLORING] = serial_coloring, [GRAPH_TRIANGLES] = serial_triangles,
};

static bool reads_arcs_in(graph_algorithm_t algorithm)
{
    return algorithm == GRAPH_PAGERANK || algorithm == GRAPH_BETWEENNESS;
}

static void destroy(void *state)
{
    serial_t *s = state;

    if (s == NULL)
        return;
    csr_free(&s->reversed);
    free(s);
}

static status_t create(const graph_context_t *context, void **state)
{
    serial_t *s = calloc(1, sizeof(*s));
    const csr_t *g = context->graph;
    status_t st;

    if (s == NULL)
        return log_nomem("a graph backend");
    s->graph = s->in = g;
    s->spec = context->spec;
    if (reads_arcs_in(s->spec->algorithm) && !g->is_symmetric) {
        if ((st = csr_transpose(g, &s->reversed)) != ST_OK) {
            destroy(s);
            return st;
        }
        s->in = &s->reversed;
    }
    *state = s;
    return ST_OK;
}

static status_t compute(void *state, const graph_task_t *task, graph_result_t *out)
{
    const serial_t *s = state;
    double start = clock_now_s();
    status_t st = functions[s->spec->algorithm](s, task, out);

    out->seconds = clock_now_s() - start;
    return st;
}

const graph_backend_t serial_graph_backend = {
    .name = "serial",
    .kind = DEVICE_CPU,
    .takes = graph_is_defined,
    .create = create,
    .compute = compute,
    .destroy = destroy,
};
