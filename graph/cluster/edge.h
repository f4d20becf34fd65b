/*
 * edge.h - an edge of the similarity graph: two sequences and their identity.
 *
 * Nodes are sequences, identified by their index from 0.  An identity is the exact
 * fraction matches / columns and is compared as such, never as a float.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_EDGE_H
#define RIBOGRID_GRAPH_CLUSTER_EDGE_H

#include <stdint.h>

typedef struct {
    int32_t a, b;             /* a != b, in any order; each pair occurs only once */
    int32_t matches, columns; /* columns > 0 */
} edge_t;

/* @return < 0, 0 or > 0 if the first identity is below, equal to or above the second */
static inline int edge_compare(int32_t matches1, int32_t columns1, int32_t matches2,
                               int32_t columns2)
{
    int64_t left = (int64_t)matches1 * columns2, right = (int64_t)matches2 * columns1;

    return (left > right) - (left < right);
}

#endif
