/*
 * mcc.h - the agreement of a partition with a graph of similar pairs: Matthews'
 * correlation coefficient (Matthews 1975) over all pairs of sequences.
 *
 * A pair within a cluster is a positive, and it is a true positive if the pair is an
 * edge. Westcott and Schloss (2015, PeerJ) use it to evaluate OTUs.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_MCC_H
#define RIBOGRID_GRAPH_CLUSTER_MCC_H

#include "graph/cluster/edge.h"

typedef struct {
    int64_t tp, tn, fp, fn; /* pairs */
} mcc_t;

/*
 * Count true and false positives and negatives.
 *
 * @param label  [n] the cluster of each node, as the number of any member
 * @param size   [n] zeros; on return the size of each cluster, by label
 * @param edges  [n_edges] or NULL: all edges are within clusters
 */
mcc_t mcc_count(int64_t n, const int32_t *label, int64_t *size, const edge_t *edges,
                int64_t n_edges);

/* @return -1 to 1; 1 if no pair is wrong, else 0 if a margin of the table is empty, after
 *         Chicco, Jurman (2020, BMC Genomics) */
double mcc_value(const mcc_t *counts);

#endif
