/*
 * part_sums.h - sums over all nodes, of the sums of their blocks.
 *
 * A block is a subtree of tree_sum.h, whoever adds it up, so the total is the same on any
 * number of ranks.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_PART_PART_SUMS_H
#define RIBOGRID_KERNELS_GRAPH_PART_PART_SUMS_H

#include "kernels/graph/part/part_comm.h"
#include "kernels/graph/part/part_graph.h"

/* Of PageRank. */
typedef struct {
    double change;   /* of the ranks */
    double dangling; /* ranks of nodes without arcs */
} part_sums_t;

/*
 * Gather the sums of all blocks, and add them up.
 *
 * @param own  [own blocks] of this rank
 * @param all  [blocks of the graph] scratch
 */
status_t part_sums_total(const part_graph_t *p, part_comm_t *c, const part_sums_t *own,
                         part_sums_t *all, part_sums_t *total) MUST_CHECK;

#endif
