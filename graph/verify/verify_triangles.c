/*
 * verify_triangles.c - triangles counted again, by marking the neighbors of each node.
 */
#include "graph/verify/graph_verify.h"

#include <stdlib.h>

/* @param marked_by  [n_nodes] the last node with this neighbor */
static int64_t count_at(const csr_t *g, int32_t u, int32_t *marked_by)
{
    int64_t twice = 0;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        marked_by[g->to[a]] = u;
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        int32_t w = g->to[a];

        for (int64_t b = g->first[w]; b < g->first[w + 1]; b++)
            twice += marked_by[g->to[b]] == u;
    }
    return twice / 2;
}

status_t verify_triangles(const verify_t *v)
{
    const csr_t *g = v->graph;
    const int64_t *n_triangles = v->result->column[0];
    int32_t *marked_by = malloc((size_t)(g->n_nodes + 1) * sizeof(*marked_by));
    status_t st = ST_OK;

    if (marked_by == NULL)
        return log_nomem("the check of triangles");
    for (int64_t u = 0; u < g->n_nodes; u++)
        marked_by[u] = -1;
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++) {
        int64_t n = count_at(g, u, marked_by);

        if (n_triangles[u] != n)
            st = verify_refuse(v, "node %lld is in %lld triangles instead of %lld",
                               verify_id(v, u), (long long)n_triangles[u], (long long)n);
    }
    free(marked_by);
    return st;
}
