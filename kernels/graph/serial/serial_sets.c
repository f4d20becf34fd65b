/*
 * serial_sets.c - what disjoint sets compute: components, and minimum spanning forests.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/disjoint_sets.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>
#include <string.h>

/* ---- components, whose roots are their smallest members ---- */

status_t serial_components(const serial_t *s, const graph_task_t *task,
                           graph_result_t *out)
{
    const csr_t *g = s->graph;
    const graph_spec_t *spec = s->spec;
    const int64_t n_rows = spec->joined != NULL ? spec->n_rows : g->n_nodes;
    int32_t *component = out->column[0];
    disjoint_sets_t sets;
    status_t st = disjoint_sets_make(g->n_nodes, &sets);

    (void)task;
    if (st != ST_OK)
        return st;
    if (spec->joined != NULL)
        memcpy(sets.parent, spec->joined, (size_t)g->n_nodes * sizeof(*sets.parent));
    for (int64_t i = 0; i < n_rows; i++) {
        const int32_t u = spec->joined != NULL ? spec->rows[i] : (int32_t)i;

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            disjoint_sets_join(&sets, u, g->to[a]);
        out->n_visited += csr_degree(g, u);
    }
    for (int32_t u = 0; u < g->n_nodes; u++)
        component[u] = disjoint_sets_root(&sets, u);
    out->n_iterations = 1;
    disjoint_sets_free(&sets);
    return ST_OK;
}

/* ---- minimum spanning forest by Kruskal's algorithm (1956) ----
 *
 * An edge u - v, u < v, is the arc u -> v.  Arcs are in order of source, then target, so
 * that ties of weight go by the position of an arc. */

typedef struct {
    double weight;
    int64_t arc;
    int32_t source, target;
} edge_by_weight_t;

static int by_weight(const void *a, const void *b)
{
    const edge_by_weight_t *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return x->arc < y->arc ? -1 : x->arc > y->arc;
}

static int64_t list_edges(const csr_t *g, edge_by_weight_t *edges)
{
    int64_t n = 0;

    for (int32_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            if (u < g->to[a])
                edges[n++] = (edge_by_weight_t){graph_arc_value(g, a), a, u, g->to[a]};
    return n;
}

status_t serial_mst(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    edge_by_weight_t *edges = malloc((size_t)(g->n_arcs + 1) * sizeof(*edges));
    disjoint_sets_t sets = {0};
    status_t st = disjoint_sets_make(g->n_nodes, &sets);
    int64_t n_edges;

    (void)task;
    out->arcs = malloc((size_t)(g->n_nodes + 1) * sizeof(*out->arcs));
    if (st == ST_OK && (edges == NULL || out->arcs == NULL))
        st = log_nomem("a spanning forest");
    if (st != ST_OK)
        goto done;
    n_edges = list_edges(g, edges);
    qsort(edges, (size_t)n_edges, sizeof(*edges), by_weight);
    for (int64_t k = 0; k < n_edges; k++)
        if (disjoint_sets_join(&sets, edges[k].source, edges[k].target))
            out->arcs[out->n_arcs++] = edges[k].arc;
    graph_result_sort_arcs(out);
    out->n_iterations = 1;
    out->n_visited = g->n_arcs;
done:
    disjoint_sets_free(&sets);
    free(edges);
    return st;
}
