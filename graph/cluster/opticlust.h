/*
 * opticlust.h - OptiClust: moves sequences between clusters while Matthews' correlation
 * coefficient (mcc.h) rises.
 *
 * After Westcott, Schloss (2017), OptiClust, an improved method for assigning
 * amplicon-based sequence data to operational taxonomic units, mSphere 2:e00073-17.
 *
 * Each sequence starts in a cluster of its own.  In each round, the sequences that have
 * neighbours are visited in random order.  Each is tried alone and in the cluster of each
 * neighbour, and moves to where the coefficient is best.  Ties are broken by fewer wrong
 * pairs; then the sequence stays, or else prefers to be alone, or else joins the first
 * neighbour by index.  The paper stops when the coefficient is stable.  Here, after a
 * round without moves, whole clusters are merged if that improves the coefficient, and
 * further rounds follow until neither step helps.  Every step is an improvement, so this
 * terminates.
 *
 * The result depends on the order, so there are several starts with different orders,
 * which the threads of a pool share.  The best result is taken, of equal ones that of the
 * first start.  The same graph, seed and number of starts give the same clusters on every
 * machine with any number of threads.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_OPTICLUST_H
#define RIBOGRID_GRAPH_CLUSTER_OPTICLUST_H

#include "graph/cluster/adjacency.h"
#include "io/base/pool.h"

/*
 * Cluster.  Requires 32 bytes per node and thread.
 *
 * @param graph     edges that reach the cutoff; identities are not used
 * @param seed      seed of the random orders
 * @param n_starts  at least 1
 * @param label     [n] the lowest node of each node's cluster
 * @return ST_OK or ST_ENOMEM
 */
status_t opticlust_cluster(const adjacency_t *graph, uint64_t seed, int64_t n_starts,
                           pool_t *pool, int32_t *label) MUST_CHECK;

#endif
