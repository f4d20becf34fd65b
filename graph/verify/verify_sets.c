/*
 * verify_sets.c - disjoint sets of arcs: components and the minimum spanning forest.
 */
#include "graph/verify/graph_verify.h"

#include "kernels/graph/common/disjoint_sets.h"
#include "kernels/graph/common/graph_step.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- components ---- */

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

/* ---- a minimum spanning forest ---- */

/* All edges are joined in ascending order.
 *
 * An edge of the forest has to join two trees of the edges before it; any other edge has
 * both ends in one tree. */

typedef struct {
    double weight;
    int32_t source, target;
    bool is_in; /* in the forest */
} checked_edge_t;

static int by_weight(const void *a, const void *b)
{
    const checked_edge_t *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* List all edges, from the smaller node to the larger. @return their number; -1: an arc
 * of the result is none of them */
static int64_t list_edges(const verify_t *v, checked_edge_t *edges)
{
    const csr_t *g = v->graph;
    const graph_result_t *r = v->result;
    int64_t n = 0, k = 0;

    for (int32_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            if (u >= g->to[a])
                continue;
            edges[n] = (checked_edge_t){graph_arc_value(g, a), u, g->to[a], false};
            edges[n].is_in = k < r->n_arcs && r->arcs[k] == a;
            k += edges[n++].is_in;
        }
    return k == r->n_arcs ? n : -1;
}

static status_t check_order(const verify_t *v, const checked_edge_t *edges,
                            int64_t n_edges, disjoint_sets_t *sets)
{
    for (int64_t k = 0; k < n_edges; k++) {
        const checked_edge_t *e = &edges[k];

        if (disjoint_sets_join(sets, e->source, e->target) == e->is_in)
            continue;
        return verify_refuse(v,
                             e->is_in ? "the edge %lld - %lld of weight %g closes a "
                                        "cycle of edges before it"
                                      : "the edge %lld - %lld of weight %g is missing: "
                                        "edges before it do not connect its ends",
                             verify_id(v, e->source), verify_id(v, e->target), e->weight);
    }
    return ST_OK;
}

status_t verify_mst(const verify_t *v)
{
    checked_edge_t *edges = malloc((size_t)(v->graph->n_arcs + 1) * sizeof(*edges));
    disjoint_sets_t sets = {0};
    status_t st = disjoint_sets_make(v->graph->n_nodes, &sets);
    int64_t n_edges;

    if (st == ST_OK && edges == NULL)
        st = log_nomem("the check of a forest");
    if (st == ST_OK) {
        n_edges = list_edges(v, edges);
        if (n_edges < 0) {
            st = verify_refuse(v, "its arcs are not in ascending order or are no edges");
        } else {
            qsort(edges, (size_t)n_edges, sizeof(*edges), by_weight);
            st = check_order(v, edges, n_edges, &sets);
        }
    }
    disjoint_sets_free(&sets);
    free(edges);
    return st;
}
