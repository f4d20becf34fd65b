/*
 * adjacency.c - builds sorted neighbour lists by counting.
 */
#include "graph/cluster/cluster_methods.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"

#include <stdbool.h>
#include <stdlib.h>

static int compare_nodes(const void *a, const void *b)
{
    int32_t left = ((const neighbour_t *)a)->node, right = ((const neighbour_t *)b)->node;

    return (left > right) - (left < right);
}

/* Sort each list by node.  Lists built from ordered edges are sorted already. */
static void sort_lists(adjacency_t *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        neighbour_t *list = g->neighbour + g->start[i];
        int64_t len = g->start[i + 1] - g->start[i];
        bool sorted = true;

        child_tick_turn(i);
        for (int64_t k = 1; k < len; k++)
            sorted = sorted && list[k - 1].node < list[k].node;
        if (!sorted)
            qsort(list, (size_t)len, sizeof(*list), compare_nodes);
    }
}

/* Fill the lists.  start[i + 1] is node i's write position; at the end it is the start of
 * node i + 1's list. */
static void fill(adjacency_t *g, const edge_t *edges, int64_t n_edges)
{
    for (int64_t e = 0; e < n_edges; e++) {
        const edge_t *x = &edges[e];

        child_tick_turn(e);
        g->neighbour[g->start[x->a + 1]++] = (neighbour_t){x->b, x->matches, x->columns};
        g->neighbour[g->start[x->b + 1]++] = (neighbour_t){x->a, x->matches, x->columns};
    }
}

status_t adjacency_create(int64_t n, const edge_t *edges, int64_t n_edges,
                          adjacency_t **out)
{
    adjacency_t *g = calloc(1, sizeof(*g));
    int64_t sum = 0;

    if (g != NULL) {
        g->start = calloc((size_t)n + 2, sizeof(*g->start));
        g->neighbour = malloc(2 * (size_t)n_edges * sizeof(*g->neighbour) + 1);
    }
    if (g == NULL || g->start == NULL || g->neighbour == NULL) {
        adjacency_destroy(g);
        return log_nomem("the edges of a graph");
    }
    g->n = n;
    for (int64_t e = 0; e < n_edges; e++) {
        g->start[edges[e].a + 1]++;
        g->start[edges[e].b + 1]++;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t degree = g->start[i + 1];

        g->start[i + 1] = sum;
        sum += degree;
    }
    fill(g, edges, n_edges);
    sort_lists(g);
    *out = g;
    return ST_OK;
}

void adjacency_destroy(adjacency_t *g)
{
    if (g == NULL)
        return;
    free(g->neighbour);
    free(g->start);
    free(g);
}
