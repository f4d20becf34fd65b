/*
 * newick.h - the dendrogram of a hierarchical clustering, in Newick format.
 *
 * The edges of a minimum spanning forest give single linkage: cutting the tree at a
 * distance leaves its clusters at that distance (Gower and Ross 1969).
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_NEWICK_H
#define RIBOGRID_GRAPH_SUMMARY_NEWICK_H

#include "graph/cluster/cluster_join.h"
#include "io/base/status.h"

#include <stdint.h>
#include <stdio.h>

typedef cluster_join_t newick_edge_t; /* distance: from 0 to the root's */

/* @return the name of a leaf, valid until the next call */
typedef const char *newick_name_t(const void *ctx, int32_t node);

/*
 * Write one rooted binary tree.
 *
 * A node's height is half the distance of its children, so that the path between two
 * leaves is as long as the distance at which they are joined.  Trees of the forest, which
 * no edge joins, meet at the root's distance.  Edges of equal distance are joined in the
 * order of a, then b; those within a tree are skipped.
 *
 * @param n        leaves; nothing is written if there is none
 * @param edges    [n_edges] sorted by the call
 * @param to       the caller checks it for errors
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t newick_write(FILE *to, int32_t n, newick_edge_t *edges, int64_t n_edges,
                      double root_distance, newick_name_t *name,
                      const void *ctx) MUST_CHECK;

#endif
