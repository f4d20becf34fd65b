/*
 * serial_order.c - nodes by key, with qsort.
 */
#include "io/base/logmsg.h"
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

status_t serial_order(const uint64_t *key, int64_t n_nodes, int32_t *order)
{
    keyed_node_t *nodes = malloc((size_t)(n_nodes + 1) * sizeof(*nodes));

    if (nodes == NULL)
        return log_nomem("an order of nodes");
    for (int32_t u = 0; u < n_nodes; u++)
        nodes[u] = (keyed_node_t){key[u], u};
    qsort(nodes, (size_t)n_nodes, sizeof(*nodes), by_key);
    for (int64_t k = 0; k < n_nodes; k++)
        order[k] = nodes[k].node;
    free(nodes);
    return ST_OK;
}
