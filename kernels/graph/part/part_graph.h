/*
 * part_graph.h - a graph that is divided among the ranks of a gang: each holds the rows
 * of a range of nodes.
 *
 * Nodes are numbered as in csr_t.  Blocks of nodes are what results and checkpoints
 * consist of; their size depends on the number of nodes alone, and is a power of two, so
 * that a block is a subtree of sums over all nodes (tree_sum.h).  Ranges are cut between
 * blocks, so the results do not depend on the number of ranks.
 */
#pragma once

#include "io/graphfile/csr_rows.h"

/* At most PART_BLOCKS blocks; a block has at least one word of a bitmap. */
enum { PART_BLOCKS = 4096, PART_WORD = 64 };

typedef struct {
    int rank, n_ranks;
    int64_t n_nodes, n_arcs; /* of the whole graph */
    int64_t block;           /* nodes per block; the last one may have fewer */
    int64_t *cut;      /* [n_ranks + 1] rank r holds the nodes cut[r] .. cut[r + 1] - 1 */
    bool is_symmetric; /* every arc has its reverse */
    csr_rows_t out;    /* arcs out of this rank's nodes */
    csr_rows_t in;     /* arcs into them; empty if the graph is symmetric */
} part_graph_t;

/* @return nodes per block */
int64_t part_graph_block(int64_t n_nodes);

/* @return the number of blocks */
int64_t part_graph_n_blocks(int64_t n_nodes);

/*
 * Cut the nodes into ranges with about the same number of nodes and arcs.
 *
 * @param first  [n_nodes + 1] node u has the arcs first[u] .. first[u + 1] - 1
 * @param cut    [n_ranks + 1] out: ascending multiples of a block, then n_nodes; with
 *               fewer blocks than ranks some ranges are empty
 */
void part_graph_cut(const int64_t *first, int64_t n_nodes, int n_ranks, int64_t *cut);

/* @return the rank that holds a node */
int part_graph_holder(const part_graph_t *p, int64_t node);

/* @return the number of this rank's nodes */
static inline int64_t part_graph_n_own(const part_graph_t *p)
{
    return p->cut[p->rank + 1] - p->cut[p->rank];
}

/* @return the arcs into this rank's nodes */
static inline csr_rows_t *part_graph_in(part_graph_t *p)
{
    return p->is_symmetric ? &p->out : &p->in;
}

/* Free the arrays and set all members to 0. */
void part_graph_free(part_graph_t *p);
