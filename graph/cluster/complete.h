/*
 * complete.h - complete linkage (furthest neighbour) at a cutoff, on the edges that reach
 * it.
 *
 * The identity of two clusters is the minimum identity of their pairs of members; if any
 * of these pairs is not an edge, the clusters never merge.  While any two clusters can
 * merge, the two with the best identity do.  Ties: a cluster is numbered by its lowest
 * member; of the pairs of equal identity, the one with the lowest first number merges,
 * then the one with the lowest second number.  Identities are compared exactly.
 *
 * A merged cluster keeps only the neighbours that both clusters have, so the number of
 * edges only falls: O(edges log edges) for sparse graphs.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_COMPLETE_H
#define RIBOGRID_GRAPH_CLUSTER_COMPLETE_H

#include "graph/cluster/adjacency.h"
#include "graph/cluster/cluster_join.h"

/*
 * Cluster.
 *
 * @param graph  edges that reach the cutoff; its lists are destroyed by the call
 * @param label  [n] the lowest node of each node's cluster
 * @param joins  [n] NULL: not needed.  joins[i]: how the cluster whose lowest node is i
 *               was merged into another; a is -1 if it was not
 * @return ST_OK or ST_ENOMEM
 */
status_t complete_cluster(adjacency_t *graph, int32_t *label,
                          cluster_join_t *joins) MUST_CHECK;

#endif
