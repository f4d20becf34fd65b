/*
 * part_sums.h - sums over all nodes, of the sums of their blocks.
 *
 * A block is a subtree of tree_sum.h, whoever adds it up, so the total is the same on any
 * number of ranks.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_PART_PART_SUMS_H
#define RIBOGRID_KERNELS_GRAPH_PART_PART_SUMS_H

#include "kernels/graph/common/graph_spec.h"
#include "kernels/graph/part/part_comm.h"
#include "kernels/graph/part/part_graph.h"

/* Of PageRank. */
typedef struct {
    double change;   /* of the ranks */
    double dangling; /* ranks of nodes without arcs */
} part_sums_t;

/* Where the sums of each rank's blocks are among those of all.
 * @param len, at  [n_ranks] out: bytes */
void part_sums_places(const part_graph_t *p, int64_t *len, int64_t *at);

/* Add up the sums of all blocks. */
part_sums_t part_sums_add_up(const part_graph_t *p, const part_sums_t *all);

/* @return what each node gets apart from its arcs (graph_step.h) */
double part_sums_base(const graph_spec_t *spec, int64_t n_nodes,
                      const part_sums_t *total);

/*
 * Gather the sums of all blocks, and add them up.
 *
 * @param own  [own blocks] of this rank
 * @param all  [blocks of the graph] scratch
 */
status_t part_sums_total(const part_graph_t *p, part_comm_t *c, const part_sums_t *own,
                         part_sums_t *all, part_sums_t *total) MUST_CHECK;

#endif
