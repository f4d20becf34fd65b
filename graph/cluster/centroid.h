/*
 * centroid.h - greedy clustering round centroids, one sequence after the other.
 *
 * In a given order, a sequence joins the centroid with which it has the best identity,
 * if one reaches the cutoff, and is a centroid itself otherwise.  Ties: the centroid that
 * came first.  This is what vsearch's --cluster_size and --cluster_fast do with
 * --maxaccepts 0 --maxrejects 0: all centroids are looked at, the best one is taken.
 *
 * The order is greedy by nature, and one pass over the edges is quick: one thread.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_CENTROID_H
#define RIBOGRID_GRAPH_CLUSTER_CENTROID_H

#include "graph/cluster/adjacency.h"

/*
 * Cluster.
 *
 * @param graph     edges that reach the cutoff
 * @param order     [n] every node once
 * @param centroid  [n] the centroid of each node's cluster
 * @return ST_OK or ST_ENOMEM
 */
status_t centroid_cluster(const adjacency_t *graph, const int32_t *order,
                          int32_t *centroid) MUST_CHECK;

/*
 * Put nodes in order, greatest key first; equal ones by a second key, then by index.
 *
 * @param key, second  [n] each; NULL: all equal
 * @param order        [n]
 * @return ST_OK or ST_ENOMEM
 */
status_t centroid_order(int64_t n, const int64_t *key, const int64_t *second,
                        int32_t *order) MUST_CHECK;

#endif
