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
 * neighbour, by index.  Rounds end when one has moved nothing, which comes to pass as
 * each move is for the better.  (The paper stops earlier, when the coefficient has become
 * stable.)
 *
 * The same graph and seed give the same clusters on every machine; one thread.
 */
#ifndef RIBOGRID_GRAPH_OPTICLUST_H
#define RIBOGRID_GRAPH_OPTICLUST_H

#include "graph/adjacency.h"

/*
 * Cluster.
 *
 * @param graph     edges that reach the cutoff; identities beyond that do not matter
 * @param seed      of the random order
 * @param label     [n] each node's cluster by its least member
 * @param n_rounds  that it took, the last without a move
 * @return ST_OK or ST_ENOMEM
 */
status_t opticlust_cluster(const adjacency_t *graph, uint64_t seed, int32_t *label,
                           int64_t *n_rounds) MUST_CHECK;

#endif
