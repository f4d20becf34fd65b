/*
 * centroid.c - one pass over the sequences in order, with ties broken by rank in the
 * order.
 */
#include "graph/cluster/cluster_methods.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

/* Assign each node to its best centroid, or make it one. */
static void assign(const adjacency_t *g, const int32_t *order, int32_t *rank,
                   int32_t *centroid)
{
    for (int64_t r = 0; r < g->n; r++)
        rank[order[r]] = (int32_t)r;
    for (int64_t r = 0; r < g->n; r++) {
        int32_t node = order[r];
        const neighbour_t *best = NULL;

        child_tick_turn(r);
        for (int64_t k = g->start[node]; k < g->start[node + 1]; k++) {
            const neighbour_t *x = &g->neighbour[k];
            int better;

            if (rank[x->node] > r || centroid[x->node] != x->node)
                continue;
            better = best == NULL ? 1
                                  : edge_compare(x->matches, x->columns, best->matches,
                                                 best->columns);
            if (better > 0 || (better == 0 && rank[x->node] < rank[best->node]))
                best = x;
        }
        centroid[node] = best != NULL ? best->node : node;
    }
}

status_t centroid_cluster(const adjacency_t *g, const int32_t *order, int32_t *centroid)
{
    int32_t *rank = malloc((size_t)g->n * sizeof(*rank) + 1);

    if (rank == NULL)
        return log_nomem("the order of sequences");
    assign(g, order, rank, centroid);
    free(rank);
    return ST_OK;
}

typedef struct {
    int64_t key, second;
    int32_t node;
} sort_key_t;

static int compare_keys(const void *a, const void *b)
{
    const sort_key_t *x = a, *y = b;

    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    if (x->second != y->second)
        return x->second > y->second ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

status_t centroid_order(int64_t n, const int64_t *key, const int64_t *second,
                        int32_t *order)
{
    sort_key_t *keys = malloc((size_t)n * sizeof(*keys) + 1);

    if (keys == NULL)
        return log_nomem("the order of sequences");
    for (int64_t i = 0; i < n; i++)
        keys[i] = (sort_key_t){key != NULL ? key[i] : 0, second != NULL ? second[i] : 0,
                               (int32_t)i};
    qsort(keys, (size_t)n, sizeof(*keys), compare_keys);
    for (int64_t r = 0; r < n; r++)
        order[r] = keys[r].node;
    free(keys);
    return ST_OK;
}
