/*
 * verify_bfs.c - depths and parents of a breadth-first search.
 */
#include "graph/verify/graph_verify.h"

#include <stdlib.h>

/* @param above  [n_nodes] the smallest neighbor one level above, or -1 */
static status_t check_arcs(const verify_t *v, int32_t *above)
{
    const csr_t *g = v->graph;
    const int32_t *depth = v->result->column[0];

    for (int64_t u = 0; u < g->n_nodes; u++)
        above[u] = -1;
    for (int32_t u = 0; u < g->n_nodes; u++) {
        if (depth[u] < 0)
            continue;
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t w = g->to[a];

            if (depth[w] < 0 || depth[w] > depth[u] + 1)
                return verify_refuse(v,
                                     "node %lld has depth %d, but node %lld with an arc "
                                     "to it has depth %d",
                                     verify_id(v, w), depth[w], verify_id(v, u),
                                     depth[u]);
            if (depth[w] == depth[u] + 1 && above[w] < 0)
                above[w] = u;
        }
    }
    return ST_OK;
}

static status_t check_node(const verify_t *v, int32_t u, int32_t above)
{
    int32_t depth = ((const int32_t *)v->result->column[0])[u];
    int32_t parent = ((const int32_t *)v->result->column[1])[u];

    if (u == v->task->sources[0]) {
        if (depth != 0)
            return verify_refuse(v, "the source %lld has depth %d", verify_id(v, u),
                                 depth);
        above = u;
    } else if (depth < -1 || (depth >= 0 && above < 0)) {
        return verify_refuse(v, "node %lld has depth %d, but no neighbor has depth %d",
                             verify_id(v, u), depth, depth - 1);
    }
    if (parent != above)
        return verify_refuse(v, "the parent of node %lld is %lld instead of %lld",
                             verify_id(v, u), verify_id(v, parent), verify_id(v, above));
    return ST_OK;
}

status_t verify_bfs(const verify_t *v)
{
    int32_t *above = malloc((size_t)(v->graph->n_nodes + 1) * sizeof(*above));
    status_t st;

    if (above == NULL)
        return log_nomem("the check of a search");
    st = check_arcs(v, above);
    for (int32_t u = 0; st == ST_OK && u < v->graph->n_nodes; u++)
        st = check_node(v, u, above[u]);
    free(above);
    return st;
}
