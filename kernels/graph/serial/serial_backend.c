/*
 * serial_backend.c - chooses the function of an algorithm and times it.
 */
#include "kernels/graph/common/graph_backend.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>

static const struct {
    serial_fn_t compute;
    bool reads_arcs_in;
} functions[GRAPH_N_ALGORITHMS] = {
    [GRAPH_BFS] = {serial_bfs, false},
    [GRAPH_SSSP] = {serial_sssp, false},
    [GRAPH_PAGERANK] = {serial_pagerank, true},
    [GRAPH_BETWEENNESS] = {serial_betweenness, true},
    [GRAPH_SPMV] = {serial_spmv, false},
    [GRAPH_COMPONENTS] = {serial_components, false},
    [GRAPH_MST] = {serial_mst, false},
    [GRAPH_MIS] = {serial_mis, false},
    [GRAPH_COLORING] = {serial_coloring, false},
    [GRAPH_TRIANGLES] = {serial_triangles, false},
    [GRAPH_DESCENDANTS] = {serial_descendants, false},
    [GRAPH_HEIGHTS] = {serial_heights, false},
};

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
    if (functions[s->spec->algorithm].reads_arcs_in && !g->is_symmetric) {
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
    status_t st = functions[s->spec->algorithm].compute(s, task, out);

    out->seconds = clock_now_s() - start;
    return st;
}

const graph_backend_t serial_graph_backend = {
    .base = {.name = "serial", .kind = DEVICE_CPU, .rate = 2.5e7},
    .create = create,
    .compute = compute,
    .destroy = destroy,
};
