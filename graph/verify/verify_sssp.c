/*
 * verify_sssp.c - distances from a source.
 */
#include "graph/verify/graph_verify.h"

#include <stdbool.h>
#include <stdlib.h>

static status_t check_arcs_of(const verify_t *v, int32_t u)
{
    const csr_t *g = v->graph;
    const int64_t *distance = v->result->column[0];

    for (int64_t a = g->first[u]; distance[u] >= 0 && a < g->first[u + 1]; a++) {
        int32_t w = g->to[a];

        if (distance[w] < 0 || distance[w] > distance[u] + csr_weight(g, a))
            return verify_refuse(v,
                                 "node %lld has distance %lld, but node %lld with an arc "
                                 "of weight %d to it has distance %lld",
                                 verify_id(v, w), (long long)distance[w], verify_id(v, u),
                                 csr_weight(g, a), (long long)distance[u]);
    }
    return ST_OK;
}

/* Walk from the source along arcs that give exactly the distance.
 * @param seen, stack  [n_nodes] */
static void walk(const verify_t *v, bool *seen, int32_t *stack)
{
    const csr_t *g = v->graph;
    const int64_t *distance = v->result->column[0];
    int64_t n = 0;

    seen[v->task->sources[0]] = true;
    stack[n++] = v->task->sources[0];
    while (n > 0) {
        int32_t u = stack[--n];

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t w = g->to[a];

            if (!seen[w] && distance[w] == distance[u] + csr_weight(g, a)) {
                seen[w] = true;
                stack[n++] = w;
            }
        }
    }
}

status_t verify_sssp(const verify_t *v)
{
    const csr_t *g = v->graph;
    const int64_t *distance = v->result->column[0];
    int32_t source = v->task->sources[0];
    bool *seen = calloc((size_t)g->n_nodes + 1, sizeof(*seen));
    int32_t *stack = malloc((size_t)(g->n_nodes + 1) * sizeof(*stack));
    status_t st = ST_OK;

    if (seen == NULL || stack == NULL)
        st = log_nomem("the check of distances");
    else if (distance[source] != 0)
        st = verify_refuse(v, "the source %lld has distance %lld", verify_id(v, source),
                           (long long)distance[source]);
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        st = check_arcs_of(v, u);
    if (st == ST_OK)
        walk(v, seen, stack);
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        if (!seen[u] && distance[u] != -1)
            st = verify_refuse(v, "no path of length %lld leads to node %lld",
                               (long long)distance[u], verify_id(v, u));
    free(stack);
    free(seen);
    return st;
}
