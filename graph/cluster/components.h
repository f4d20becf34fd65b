/*
 * components.h - connected components: single linkage at a cutoff.
 *
 * Edges can be added in portions, as they are read, and are not stored: the memory is 4
 * bytes per node.  The threads of a pool share each portion.
 *
 * The sets are those of shared_sets.h: the label of a component does not depend on the
 * order of edges or threads.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_COMPONENTS_H
#define RIBOGRID_GRAPH_CLUSTER_COMPONENTS_H

#include "graph/cluster/edge.h"
#include "io/base/pool.h"
#include "io/base/status.h"

typedef struct components components_t;

/* Create n nodes without edges. @return ST_OK or ST_ENOMEM */
status_t components_create(int64_t n, components_t **out) MUST_CHECK;

/* Add edges; identities are ignored. */
void components_join(components_t *components, pool_t *pool, const edge_t *edges,
                     int64_t n_edges);

/* @param label  [n] the lowest node of each node's component */
void components_label(components_t *components, int32_t *label);

/* Takes NULL. */
void components_destroy(components_t *components);

#endif
