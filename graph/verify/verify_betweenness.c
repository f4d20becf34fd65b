/*
 * verify_betweenness.c - Brandes' algorithm again, pushing along arcs.
 */
#include "graph/verify/graph_verify.h"

#include <math.h>
#include <stdlib.h>

static const double ROUNDING = 1e-9;

typedef struct {
    int32_t *depth, *order; /* [n_nodes]; order: reached nodes, by depth */
    double *n_paths, *dependency, *sum;
} recount_t;

static int64_t search(const csr_t *g, int32_t source, recount_t *r)
{
    int64_t n = 0;

    for (int64_t u = 0; u < g->n_nodes; u++) {
        r->depth[u] = -1;
        r->n_paths[u] = r->dependency[u] = 0;
    }
    r->depth[source] = 0;
    r->n_paths[source] = 1;
    r->order[n++] = source;
    for (int64_t k = 0; k < n; k++) {
        int32_t u = r->order[k];

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t v = g->to[a];

            if (r->depth[v] < 0) {
                r->depth[v] = r->depth[u] + 1;
                r->order[n++] = v;
            }
            if (r->depth[v] == r->depth[u] + 1)
                r->n_paths[v] += r->n_paths[u];
        }
    }
    return n;
}

static void add_source(const csr_t *g, int32_t source, recount_t *r)
{
    for (int64_t k = search(g, source, r) - 1; k > 0; k--) {
        int32_t u = r->order[k];

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t v = g->to[a];

            if (r->depth[v] == r->depth[u] + 1)
                r->dependency[u] +=
                    r->n_paths[u] / r->n_paths[v] * (1 + r->dependency[v]);
        }
        r->sum[u] += r->dependency[u];
    }
}

status_t verify_betweenness(const verify_t *v)
{
    const csr_t *g = v->graph;
    const double *centrality = v->result->column[0];
    size_t n = (size_t)g->n_nodes + 1;
    recount_t r = {malloc(n * sizeof(*r.depth)), malloc(n * sizeof(*r.order)),
                   malloc(n * sizeof(*r.n_paths)), malloc(n * sizeof(*r.dependency)),
                   calloc(n, sizeof(*r.sum))};
    status_t st = ST_OK;

    if (r.depth == NULL || r.order == NULL || r.n_paths == NULL || r.dependency == NULL ||
        r.sum == NULL)
        st = log_nomem("the check of betweenness");
    for (int64_t i = 0; st == ST_OK && i < v->task->n_sources; i++)
        if (csr_degree(g, v->task->sources[i]) > 0) /* others reach nothing */
            add_source(g, v->task->sources[i], &r);
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        if (!(fabs(centrality[u] - r.sum[u]) <= ROUNDING * fmax(1, r.sum[u])))
            st = verify_refuse(v, "the centrality of node %lld is %.12g instead of %.12g",
                               verify_id(v, u), centrality[u], r.sum[u]);
    free(r.depth);
    free(r.order);
    free(r.n_paths);
    free(r.dependency);
    free(r.sum);
    return st;
}
