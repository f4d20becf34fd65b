/*
 * serial_coloring.c - greedy coloring: in order of descending degree, each node takes the
 * smallest color that no neighbor has.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_priority.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>

/* @param taken_by  [n_nodes] the node that last found a color taken */
static int32_t smallest_color(const csr_t *g, int32_t u, const int32_t *color,
                              int32_t *taken_by)
{
    int32_t c = 0;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        if (color[g->to[a]] >= 0)
            taken_by[color[g->to[a]]] = u;
    while (taken_by[c] == u)
        c++;
    return c;
}

status_t serial_coloring(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    int32_t *color = out->column[0];
    size_t n = (size_t)g->n_nodes + 1;
    uint64_t *key = malloc(n * sizeof(*key));
    int32_t *order = malloc(n * sizeof(*order));
    int32_t *taken_by = malloc(n * sizeof(*taken_by));
    status_t st = ST_OK;

    (void)task;
    if (key == NULL || order == NULL || taken_by == NULL)
        st = log_nomem("a coloring");
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++) {
        key[u] = graph_coloring_key(g, u);
        color[u] = taken_by[u] = -1;
    }
    if (st == ST_OK)
        st = serial_order(key, g->n_nodes, order);
    for (int64_t k = 0; st == ST_OK && k < g->n_nodes; k++)
        color[order[k]] = smallest_color(g, order[k], color, taken_by);
    out->n_iterations = 1;
    out->n_visited = g->n_arcs;
    free(taken_by);
    free(order);
    free(key);
    return st;
}
