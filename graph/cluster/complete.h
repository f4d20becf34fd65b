/*
 * complete.h - complete linkage (furthest neighbour) at a cutoff, on the edges that reach
 * it.
 *
 * The identity of two clusters is the least of their members' identities; where one pair
 * is no edge they never merge.  As long as two clusters are left that may merge, the two
 * of the best identity do.  Ties: a cluster is called by its least member; of the pairs
 * of equal identity that with the least first name merges, then that with the least
 * second one.  Identities are compared exactly.
 *
 * The neighbours of a merged cluster are those that both parts have, so that edges only
 * get fewer: O(edges log edges) for sparse graphs.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_COMPLETE_H
#define RIBOGRID_GRAPH_CLUSTER_COMPLETE_H

#include "graph/cluster/adjacency.h"

/*
 * Cluster.
 *
 * @param graph  edges that reach the cutoff; used up: its neighbours hold nothing after
 * @param label  [n] each node's cluster by its least member
 * @return ST_OK or ST_ENOMEM
 */
status_t complete_cluster(adjacency_t *graph, int32_t *label) MUST_CHECK;

#endif
