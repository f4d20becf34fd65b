/*
 * verify_trees.c - each node against its children: in a tree that settles all values.
 */
#include "graph/verify/graph_verify.h"

status_t verify_descendants(const verify_t *v)
{
    const csr_t *g = v->graph;
    const int32_t *descendants = v->result->column[0], *leaves = v->result->column[1];

    for (int32_t u = 0; u < g->n_nodes; u++) {
        int64_t n = 0, n_leaves = csr_degree(g, u) == 0;

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            n += descendants[g->to[a]] + INT64_C(1);
            n_leaves += leaves[g->to[a]];
        }
        if (descendants[u] != n || leaves[u] != n_leaves)
            return verify_refuse(v,
                                 "node %lld has %d descendants and %d leaves, but its "
                                 "children add up to %lld and %lld",
                                 verify_id(v, u), descendants[u], leaves[u], (long long)n,
                                 (long long)n_leaves);
    }
    return ST_OK;
}

status_t verify_heights(const verify_t *v)
{
    const csr_t *g = v->graph;
    const int32_t *height = v->result->column[0];

    for (int32_t u = 0; u < g->n_nodes; u++) {
        int64_t highest = -1;

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            if (height[g->to[a]] > highest)
                highest = height[g->to[a]];
        if (height[u] != highest + 1)
            return verify_refuse(v, "node %lld has height %d instead of %lld",
                                 verify_id(v, u), height[u], (long long)highest + 1);
    }
    return ST_OK;
}
