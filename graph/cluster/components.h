/*
 * components.h - connected components: single linkage at a cutoff.
 *
 * Edges may come in portions, as they are read, and are not kept: memory is 4 bytes a
 * node.  A portion is shared among the threads of a pool.
 *
 * Concurrent disjoint sets after Jayanti, Tarjan (2016), A randomized concurrent
 * algorithm for disjoint set union, PODC: compare-and-swap links, two-try splitting of
 * paths.  They link roots in a random order; here the greater index goes below the less,
 * so that a set's root is its least member, whatever the order of the edges and threads.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_COMPONENTS_H
#define RIBOGRID_GRAPH_CLUSTER_COMPONENTS_H

#include "graph/cluster/edge.h"
#include "io/base/pool.h"
#include "io/base/status.h"

typedef struct components components_t;

/* Begin with n nodes and no edge. @return ST_OK or ST_ENOMEM */
status_t components_create(int64_t n, components_t **out) MUST_CHECK;

/* Join the ends of edges; identities do not matter. */
void components_join(components_t *components, pool_t *pool, const edge_t *edges,
                     int64_t n_edges);

/* Tell each node's component by its least member. @param label  [n] */
void components_label(components_t *components, int32_t *label);

/* Takes NULL. */
void components_destroy(components_t *components);

#endif
