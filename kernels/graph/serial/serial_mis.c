/*
 * serial_mis.c - maximal independent set: in the order of priority, each node without a
 * neighbor in the set joins it.
 *
 * In order of abundance these are the centroids of greedy clustering.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_priority.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>

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
    size_t n = (size_t)g->n_nodes + 1;
    uint64_t *key = malloc(n * sizeof(*key));
    int32_t *order = malloc(n * sizeof(*order));
    status_t st = ST_OK;

    (void)task;
    if (key == NULL || order == NULL)
        st = log_nomem("an independent set");
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++) {
        key[u] = graph_mis_key(s->spec, g, u);
        in_set[u] = 0;
    }
    if (st == ST_OK)
        st = serial_order(key, g->n_nodes, order);
    for (int64_t k = 0; st == ST_OK && k < g->n_nodes; k++)
        in_set[order[k]] = !has_neighbor_in(g, order[k], in_set);
    out->n_iterations = 1;
    out->n_visited = g->n_arcs;
    free(order);
    free(key);
    return st;
}
