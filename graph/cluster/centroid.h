/*
 * centroid.h - greedy clustering around centroids.
 *
 * In a given order, each sequence joins the centroid with the best identity among those
 * that reach the cutoff; if there is none, it becomes a centroid.  Ties are broken by the
 * order of the centroids.  vsearch's --cluster_size and --cluster_fast do the same with
 * --maxaccepts 0
 * --maxrejects 0, where they compare all centroids and take the best.
 *
 * The algorithm is sequential, but a single pass over the edges is fast: it uses one
 * thread.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_CENTROID_H
#define RIBOGRID_GRAPH_CLUSTER_CENTROID_H

#include "graph/cluster/adjacency.h"

/*
 * Cluster.
 *
 * @param graph     edges that reach the cutoff
 * @param order     [n] a permutation of the nodes
 * @param centroid  [n] the centroid of each node's cluster
 * @return ST_OK or ST_ENOMEM
 */
status_t centroid_cluster(const adjacency_t *graph, const int32_t *order,
                          int32_t *centroid) MUST_CHECK;

/*
 * Sort nodes by key, then by a second key, both descending, then by index.
 *
 * @param key, second  [n] each; NULL: all equal
 * @param order        [n] the sorted nodes
 * @return ST_OK or ST_ENOMEM
 */
status_t centroid_order(int64_t n, const int64_t *key, const int64_t *second,
                        int32_t *order) MUST_CHECK;

#endif
