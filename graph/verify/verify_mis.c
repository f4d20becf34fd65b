/*
 * verify_mis.c - an independent set that is greedy by priority, and so maximal.
 */
#include "graph/verify/graph_verify.h"
#include "kernels/graph/common/graph_priority.h"

#include <stdlib.h>

static status_t check_node(const verify_t *v, int32_t u, const uint64_t *key)
{
    const csr_t *g = v->graph;
    const uint8_t *in_set = v->result->column[0];
    bool has_neighbor = false, has_earlier = false;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        int32_t w = g->to[a];

        if (!in_set[w])
            continue;
        if (in_set[u])
            return verify_refuse(v, "the neighbors %lld and %lld are both in the set",
                                 verify_id(v, u), verify_id(v, w));
        has_neighbor = true;
        has_earlier |= graph_key_before(key, w, u);
    }
    if (!in_set[u] && !has_neighbor)
        return verify_refuse(v, "neither node %lld nor a neighbor is in the set",
                             verify_id(v, u));
    if (!in_set[u] && !has_earlier)
        return verify_refuse(v,
                             "node %lld is not in the set, but comes before all its "
                             "neighbors that are",
                             verify_id(v, u));
    return ST_OK;
}

status_t verify_mis(const verify_t *v)
{
    const csr_t *g = v->graph;
    uint64_t *key = malloc((size_t)(g->n_nodes + 1) * sizeof(*key));
    status_t st = ST_OK;

    if (key == NULL)
        return log_nomem("the check of a set");
    for (int32_t u = 0; u < g->n_nodes; u++)
        key[u] = graph_mis_key(v->spec, g, u);
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        st = check_node(v, u, key);
    free(key);
    return st;
}
