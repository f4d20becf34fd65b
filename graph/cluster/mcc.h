/*
 * mcc.h - how well a partition agrees with a graph of close pairs: Matthews' correlation
 * coefficient (Matthews 1975) over all pairs of sequences.
 *
 * Positive is a pair within one cluster; it is true if the pair is an edge.  Westcott and
 * Schloss (2015, PeerJ) judge OTUs by it.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_MCC_H
#define RIBOGRID_GRAPH_CLUSTER_MCC_H

#include "graph/cluster/edge.h"

typedef struct {
    int64_t tp, tn, fp, fn; /* pairs */
} mcc_t;

/*
 * Count.
 *
 * @param label  [n] the cluster of each node, by any of its members
 * @param size   [n] 0; the clusters' sizes, by label, come here
 * @param edges  [n_edges] NULL: all of them are within clusters
 */
mcc_t mcc_count(int64_t n, const int32_t *label, int64_t *size, const edge_t *edges,
                int64_t n_edges);

/* @return -1 to 1; 1 where no pair is wrong, else 0 where a margin of the table is empty,
 * as Chicco, Jurman (2020, BMC Genomics) have it */
double mcc_value(const mcc_t *counts);

#endif
