/*
 * verify_greedy.c - greedy algorithms: an independent set and a coloring.
 */
#include "graph/verify/graph_verify.h"

#include "kernels/graph/common/graph_priority.h"

#include <stdlib.h>

/* ---- an independent set that is greedy by priority, and so maximal ---- */

static status_t check_member(const verify_t *v, int32_t u, const uint64_t *key)
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
        st = check_member(v, u, key);
    free(key);
    return st;
}

/* ---- a coloring that is proper and greedy ---- */

typedef struct {
    uint64_t *key;     /* [n_nodes] */
    int32_t *taken_by; /* [n_nodes] the node whose earlier neighbor has the color */
} greedy_t;

static status_t check_color(const verify_t *v, int32_t u, greedy_t *greedy)
{
    const csr_t *g = v->graph;
    const int32_t *color = v->result->column[0];

    if (color[u] < 0 || color[u] > csr_degree(g, u))
        return verify_refuse(v, "node %lld with %lld neighbors has color %d",
                             verify_id(v, u), (long long)csr_degree(g, u), color[u]);
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        int32_t w = g->to[a];

        if (color[w] == color[u])
            return verify_refuse(v, "the neighbors %lld and %lld both have color %d",
                                 verify_id(v, u), verify_id(v, w), color[u]);
        if (color[w] >= 0 && color[w] < color[u] && graph_key_before(greedy->key, w, u))
            greedy->taken_by[color[w]] = u;
    }
    for (int32_t c = 0; c < color[u]; c++)
        if (greedy->taken_by[c] != u)
            return verify_refuse(v,
                                 "node %lld has color %d, but no neighbor before it has "
                                 "color %d",
                                 verify_id(v, u), color[u], c);
    return ST_OK;
}

status_t verify_coloring(const verify_t *v)
{
    const csr_t *g = v->graph;
    size_t n = (size_t)g->n_nodes + 1;
    greedy_t greedy = {malloc(n * sizeof(*greedy.key)),
                       malloc(n * sizeof(*greedy.taken_by))};
    status_t st = ST_OK;

    if (greedy.key == NULL || greedy.taken_by == NULL)
        st = log_nomem("the check of a coloring");
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++) {
        greedy.key[u] = graph_coloring_key(g, u);
        greedy.taken_by[u] = -1;
    }
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        st = check_color(v, u, &greedy);
    free(greedy.taken_by);
    free(greedy.key);
    return st;
}
