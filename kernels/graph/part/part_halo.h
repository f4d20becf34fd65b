/*
 * part_halo.h - values of other ranks' nodes that a rank's arcs lead to.
 *
 * The targets of a rank's rows are renumbered: its own nodes come first, 0 .. n_own-1,
 * then the others' nodes that occur, in ascending order.  So a rank needs a value of its
 * own nodes and of those, and of no others.
 */
#pragma once

#include "kernels/graph/common/graph_spec.h"
#include "kernels/graph/part/part_comm.h"
#include "kernels/graph/part/part_graph.h"

typedef struct {
    int64_t n_own;
    int64_t n_ghosts; /* others' nodes that occur */
    int64_t n_sent;   /* own nodes that others need, once for each of them */
    int32_t *sent;    /* [n_sent] own nodes from 0, by the rank that they go to */
    int64_t *counts;  /* [4][n_ranks] memory of the following */
    int64_t *send_n, *send_at; /* [n_ranks] in nodes */
    int64_t *recv_n, *recv_at; /* [n_ranks] in nodes; recv_at from the first ghost */
    double *packed;            /* [n_sent] of part_halo_exchange */
    /* [n_ranks] the same in bytes of doubles; memory: [4][n_ranks] */
    int64_t *send_bytes, *send_bytes_at, *recv_bytes, *recv_bytes_at;
} part_halo_t;

/*
 * Find the nodes, tell their holders, and renumber the rows.  Every rank calls it.
 *
 * @param rows  of this rank; each target becomes a new number
 * @param out   freed by the caller; not set on errors
 */
status_t part_halo_create(const part_graph_t *p, csr_rows_t *rows, part_comm_t *c,
                          part_halo_t *out) MUST_CHECK;

/*
 * Fetch the values of other ranks' nodes.
 *
 * @param values  [n_own + n_ghosts] by new numbers; the ghosts' are set
 */
status_t part_halo_exchange(part_halo_t *h, part_comm_t *c, double *values) MUST_CHECK;

/* Takes a zeroed one, too. */
void part_halo_free(part_halo_t *h);

/* part_sums.c: sums over all nodes, of the sums of their blocks.
 *
 * A block is a subtree of tree_sum.h, whoever adds it up, so the total is the same on any
 * number of ranks. */

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
