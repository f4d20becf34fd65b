/*
 * verify_trees.c - each node against its children: in a tree that settles all values.
 */
#include "graph/verify/graph_verify.h"

#include <stdlib.h>

/* The counts of a sample: a leaf has its own, another node those of its children. */
static status_t verify_counts(const verify_t *v)
{
    const csr_t *g = v->graph;
    const int64_t *count = v->result->count;
    int64_t *want = malloc((size_t)g->n_nodes * sizeof(*want) + 1);
    status_t st = ST_OK;

    if (want == NULL)
        return log_nomem("the check of a tree");
    leaf_counts_spread(v->spec->leaves, v->task->sample - 1, g->n_nodes, want);
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            want[u] = (int64_t)((uint64_t)want[u] + (uint64_t)count[g->to[a]]);
        if (count[u] != want[u])
            st = verify_refuse(v, "node %lld has the count %lld instead of %lld",
                               verify_id(v, u), (long long)count[u], (long long)want[u]);
    }
    free(want);
    return st;
}

status_t verify_descendants(const verify_t *v)
{
    const csr_t *g = v->graph;
    const int32_t *descendants = v->result->column[0], *leaves = v->result->column[1];

    if (v->task->sample > 0)
        return verify_counts(v);
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
