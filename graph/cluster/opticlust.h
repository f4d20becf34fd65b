/*
 * opticlust.h - OptiClust: move sequences between clusters as long as Matthews'
 * correlation coefficient (mcc.h) rises.
 *
 * After Westcott, Schloss (2017), OptiClust, an improved method for assigning
 * amplicon-based sequence data to operational taxonomic units, mSphere 2:e00073-17.
 *
 * Every sequence starts alone.  In a round each sequence that has a neighbour, in random
 * order, is tried in a cluster of its own and in that of each neighbour, and is moved to
 * where the coefficient is best.  Ties: fewer wrong pairs are better; then it stays if
 * that is as good as any; else its own cluster is preferred, then that of the first
 * neighbour, by index.  The paper ends when the coefficient is stable.  Here, when a
 * round has moved nothing, whole clusters are put together where that is better, and
 * there are further rounds, until neither helps; it ends, as each step is for the better.
 *
 * Where it ends depends on the order.  So it is done several times, in other orders, the
 * starts shared among a pool's threads; the best end is taken, of equal ones that of the
 * first start.  The same graph, seed and number of starts give the same clusters on every
 * machine with any number of threads.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_OPTICLUST_H
#define RIBOGRID_GRAPH_CLUSTER_OPTICLUST_H

#include "graph/cluster/adjacency.h"
#include "io/base/pool.h"

/*
 * Cluster.  Takes 32 bytes a node and thread.
 *
 * @param graph     edges that reach the cutoff; identities beyond that do not matter
 * @param seed      of the random orders
 * @param n_starts  at least 1
 * @param label     [n] each node's cluster by its least member
 * @return ST_OK or ST_ENOMEM
 */
status_t opticlust_cluster(const adjacency_t *graph, uint64_t seed, int64_t n_starts,
                           pool_t *pool, int32_t *label) MUST_CHECK;

#endif
