/*
 * serial_triangles.c - triangles u < v < w: for each edge u - v, the common neighbors w.
 */
#include "kernels/graph/serial/serial_algorithms.h"

static void count_of_edge(const csr_t *g, int32_t u, int32_t v, int64_t *n_triangles)
{
    int64_t a = g->first[u], b = g->first[v];

    while (a < g->first[u + 1] && b < g->first[v + 1]) {
        int32_t x = g->to[a], y = g->to[b];

        if (x == y && x > v) {
            n_triangles[u]++;
            n_triangles[v]++;
            n_triangles[x]++;
        }
        a += x <= y;
        b += y <= x;
    }
}

status_t serial_triangles(const serial_t *s, const graph_task_t *task,
                          graph_result_t *out)
{
    const csr_t *g = s->graph;
    int64_t *n_triangles = out->column[0];

    (void)task;
    for (int64_t u = 0; u < g->n_nodes; u++)
        n_triangles[u] = 0;
    for (int32_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            if (u < g->to[a]) {
                count_of_edge(g, u, g->to[a], n_triangles);
                out->n_visited += csr_degree(g, u) + csr_degree(g, g->to[a]);
            }
    out->n_iterations = 1;
    return ST_OK;
}
