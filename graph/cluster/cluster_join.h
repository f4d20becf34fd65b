/*
 * cluster_join.h - a step of hierarchical clustering, as a dendrogram shows it.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_CLUSTER_JOIN_H
#define RIBOGRID_GRAPH_CLUSTER_CLUSTER_JOIN_H

#include <stdint.h>

/* Two clusters, each named by one of its members, and the distance at which they join. */
typedef struct {
    int32_t a, b;
    double distance; /* 1 - identity */
} cluster_join_t;

#endif
