/*
 * verify_components.c - components by disjoint sets of all arcs.
 */
#include "graph/verify/graph_verify.h"
#include "kernels/graph/common/disjoint_sets.h"

status_t verify_components(const verify_t *v)
{
    const csr_t *g = v->graph;
    const int32_t *component = v->result->column[0];
    disjoint_sets_t sets;
    status_t st = disjoint_sets_make(g->n_nodes, &sets);

    if (st != ST_OK)
        return st;
    for (int32_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            disjoint_sets_join(&sets, u, g->to[a]);
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++) {
        int32_t smallest = disjoint_sets_root(&sets, u);

        if (component[u] != smallest)
            st = verify_refuse(v, "the component of node %lld is %lld instead of %lld",
                               verify_id(v, u), verify_id(v, component[u]),
                               verify_id(v, smallest));
    }
    disjoint_sets_free(&sets);
    return st;
}
