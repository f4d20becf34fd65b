/*
 * graph_step.h - expressions on real numbers that all backends evaluate alike.
 *
 * PageRank of node v: base + damping * sum of share[u] over the arcs u -> v, where
 * share[u] = rank[u] / degree[u], or 0 without arcs.
 *
 * Betweenness: n_paths[v] is the sum of n_paths[u] over the arcs u -> v from one level
 * above.  Its dependency is n_paths[u] times the sum of (1 + dependency[v]) / n_paths[v]
 * over the arcs u -> v to one level below.
 *
 * All sums are tree sums over the positions of a node's row: of the arcs into v in
 * ascending order of u, or of the arcs from u.  Arcs that do not count leave a 0.
 */
#pragma once

#include "io/graphfile/csr.h"
#include "kernels/graph/common/graph_spec.h"

#include <stddef.h>

/* More shortest paths than this between two nodes are refused: (1 + dependency) / n_paths
 * keeps all its bits. */
#define GRAPH_MAX_PATHS 1e290

/* @param dangling  the sum of the ranks of nodes without arcs
 * @return what each node gets apart from its arcs */
static inline double graph_pagerank_base(const graph_spec_t *spec, int64_t n_nodes,
                                         double dangling)
{
    double base = (1 - spec->damping) / (double)n_nodes;

    return spec->dangling == GRAPH_DANGLING_SPREAD
               ? base + spec->damping * dangling / (double)n_nodes
               : base;
}

/* @return the value of an arc in sums and comparisons; 1 without weights */
static inline double graph_arc_value(const csr_t *g, int64_t arc)
{
    return g->value != NULL ? g->value[arc] : csr_weight(g, arc);
}
