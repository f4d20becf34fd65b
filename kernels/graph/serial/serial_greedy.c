/*
 * serial_greedy.c - algorithms that decide about one node after the other, in an order of
 * priority (graph_priority.h).
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_priority.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>

typedef struct {
    uint64_t key;
    int32_t node;
} keyed_node_t;

static int by_key(const void *a, const void *b)
{
    const keyed_node_t *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Sort the nodes by key, then by number. @return them, to be freed; NULL without memory
 * (logged) */
static keyed_node_t *sort_nodes(const serial_t *s,
                                uint64_t (*key_of)(const serial_t *s, int32_t u))
{
    const int64_t n = s->graph->n_nodes;
    keyed_node_t *nodes = malloc((size_t)(n + 1) * sizeof(*nodes));

    if (nodes == NULL) {
        log_nomem("an order of nodes");
        return NULL;
    }
    for (int32_t u = 0; u < n; u++)
        nodes[u] = (keyed_node_t){key_of(s, u), u};
    qsort(nodes, (size_t)n, sizeof(*nodes), by_key);
    return nodes;
}

/* ---- maximal independent set: each node without a neighbor in the set joins it ----
 *
 * In order of abundance these are the centroids of greedy clustering. */

static uint64_t mis_key(const serial_t *s, int32_t u)
{
    return graph_mis_key(s->spec, s->graph, u);
}

static bool has_neighbor_in(const csr_t *g, int32_t u, const uint8_t *in_set)
{
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        if (in_set[g->to[a]])
            return true;
    return false;
}

status_t serial_mis(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    uint8_t *in_set = out->column[0];
    keyed_node_t *nodes = sort_nodes(s, mis_key);

    (void)task;
    if (nodes == NULL)
        return ST_ENOMEM;
    for (int64_t u = 0; u < g->n_nodes; u++)
        in_set[u] = 0;
    for (int64_t k = 0; k < g->n_nodes; k++)
        in_set[nodes[k].node] = !has_neighbor_in(g, nodes[k].node, in_set);
    out->n_iterations = 1;
    out->n_visited = g->n_arcs;
    free(nodes);
    return ST_OK;
}

/* ---- coloring: each node takes the smallest color that no neighbor has ---- */

static uint64_t coloring_key(const serial_t *s, int32_t u)
{
    return graph_coloring_key(s->graph, u);
}

/* @param taken_by  [n_nodes] the node that last found a color taken */
static int32_t smallest_color(const csr_t *g, int32_t u, const int32_t *color,
                              int32_t *taken_by)
{
    int32_t c = 0;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        if (color[g->to[a]] >= 0)
            taken_by[color[g->to[a]]] = u;
    while (taken_by[c] == u)
        c++;
    return c;
}

status_t serial_coloring(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    int32_t *color = out->column[0];
    keyed_node_t *nodes = sort_nodes(s, coloring_key);
    int32_t *taken_by = malloc((size_t)(g->n_nodes + 1) * sizeof(*taken_by));
    status_t st = nodes != NULL ? ST_OK : ST_ENOMEM;

    (void)task;
    if (st == ST_OK && taken_by == NULL)
        st = log_nomem("a coloring");
    for (int64_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        color[u] = taken_by[u] = -1;
    for (int64_t k = 0; st == ST_OK && k < g->n_nodes; k++)
        color[nodes[k].node] = smallest_color(g, nodes[k].node, color, taken_by);
    out->n_iterations = 1;
    out->n_visited = g->n_arcs;
    free(taken_by);
    free(nodes);
    return st;
}
