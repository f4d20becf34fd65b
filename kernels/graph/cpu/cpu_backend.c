/*
 * cpu_backend.c - chooses the function of an algorithm and times it.
 */
#include "kernels/graph/common/graph_backend.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/graph/cpu/cpu_state.h"

#include <stdlib.h>

static const struct {
    cpu_fn_t compute;
    bool reads_arcs_in;
} functions[GRAPH_N_ALGORITHMS] = {
    [GRAPH_BFS] = {cpu_bfs, true},
    [GRAPH_SSSP] = {cpu_sssp, false},
    [GRAPH_PAGERANK] = {cpu_pagerank, true},
    [GRAPH_BETWEENNESS] = {cpu_betweenness, true},
    [GRAPH_SPMV] = {cpu_spmv, false},
    [GRAPH_COMPONENTS] = {cpu_components, false},
    [GRAPH_MST] = {cpu_mst, false},
    [GRAPH_MIS] = {cpu_mis, false},
    [GRAPH_COLORING] = {cpu_coloring, false},
    [GRAPH_TRIANGLES] = {cpu_triangles, false},
    [GRAPH_DESCENDANTS] = {cpu_descendants, false},
    [GRAPH_HEIGHTS] = {cpu_heights, false},
};

static void destroy(void *state)
{
    cpu_t *c = state;

    if (c == NULL)
        return;
    for (int i = 0; i < CPU_N_ARRAYS; i++)
        free(c->array[i]);
    csr_free(&c->reversed);
    free(c);
}

static status_t create(const graph_context_t *context, void **state)
{
    cpu_t *c = calloc(1, sizeof(*c));
    const csr_t *g = context->graph;
    status_t st;

    if (c == NULL)
        return log_nomem("a graph backend");
    c->graph = c->in = g;
    c->spec = context->spec;
    c->run = context->run;
    c->pool = context->pool;
    c->n_threads = pool_n_threads(context->pool);
    if (functions[c->spec->algorithm].reads_arcs_in && !g->is_symmetric) {
        if ((st = csr_transpose(g, &c->reversed)) != ST_OK) {
            destroy(c);
            return st;
        }
        c->in = &c->reversed;
    }
    *state = c;
    return ST_OK;
}

static status_t compute(void *state, const graph_task_t *task, graph_result_t *out)
{
    cpu_t *c = state;
    double start = clock_now_s();
    status_t st = functions[c->spec->algorithm].compute(c, task, out);

    out->seconds = clock_now_s() - start;
    return st;
}

const graph_backend_t cpu_graph_backend = {
    .base = {.name = "cpu", .kind = DEVICE_CPU, .rate = 2.5e7},
    .create = create,
    .compute = compute,
    .destroy = destroy,
};
