/*
 * adjacency.h - a graph as lists of neighbours with identities; each edge is in two
 * lists.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_ADJACENCY_H
#define RIBOGRID_GRAPH_CLUSTER_ADJACENCY_H

#include "graph/cluster/edge.h"
#include "io/base/status.h"

typedef struct {
    int32_t node, matches, columns;
} neighbour_t;

typedef struct {
    int64_t n;
    int64_t *start; /* [n + 1] node i's neighbours are at start[i] .. start[i + 1] - 1 */
    neighbour_t *neighbour; /* [start[n]] ascending by node */
} adjacency_t;

/*
 * Build the lists.
 *
 * @param edges  [n_edges] in any order; fastest sorted by a, then b, with a < b
 * @return ST_OK or ST_ENOMEM
 */
status_t adjacency_create(int64_t n, const edge_t *edges, int64_t n_edges,
                          adjacency_t **out) MUST_CHECK;

/* Takes NULL. */
void adjacency_destroy(adjacency_t *adjacency);

#endif
