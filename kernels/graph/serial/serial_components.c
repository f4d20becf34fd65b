/*
 * serial_components.c - components by disjoint sets whose roots are the smallest members.
 */
#include "kernels/graph/common/disjoint_sets.h"
#include "kernels/graph/serial/serial_algorithms.h"

status_t serial_components(const serial_t *s, const graph_task_t *task,
                           graph_result_t *out)
{
    const csr_t *g = s->graph;
    int32_t *component = out->column[0];
    disjoint_sets_t sets;
    status_t st = disjoint_sets_make(g->n_nodes, &sets);

    (void)task;
    if (st != ST_OK)
        return st;
    for (int32_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            disjoint_sets_join(&sets, u, g->to[a]);
    for (int32_t u = 0; u < g->n_nodes; u++)
        component[u] = disjoint_sets_root(&sets, u);
    out->n_iterations = 1;
    out->n_visited = g->n_arcs;
    disjoint_sets_free(&sets);
    return ST_OK;
}
