/*
 * average.h - average linkage (UPGMA) at a cutoff, on all pairs.
 *
 * The identity of two clusters is the mean identity of their pairs of members; a pair
 * without an identity counts as 0.  While the mean of any two clusters reaches the
 * cutoff, the two with the best mean merge.  Ties are broken as in complete.h.
 *
 * Arithmetic: an identity is rounded to a multiple of 2^-32.  Sums of these are exact, so
 * a mean does not depend on the order of merging; means are compared in integers.  A mean
 * reaches the cutoff if it does so within the rounding error of 2^-33, so that 96 and 98
 * of 100 have a mean of 97/100.
 *
 * If a mean reaches the cutoff, at least one of its pairs does.  Clusters therefore stay
 * within the connected components of such pairs, and each component is clustered on its
 * own, with 8 bytes per pair of its members.  The caller finds the components first and
 * then adds all pairs.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_AVERAGE_H
#define RIBOGRID_GRAPH_CLUSTER_AVERAGE_H

#include "graph/cluster/cluster_join.h"
#include "graph/cluster/edge.h"
#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/base/status.h"

#include <stdbool.h>

/* Maximum members of a component: sums of more pairs could exceed 63 bits. */
enum { AVERAGE_COMPONENT_MAX = 1 << 16 };

typedef struct average average_t;

/* @return whether the identity of a pair, rounded as above, reaches the cutoff */
bool average_reaches(const fraction_t *id, int32_t matches, int32_t columns);

/*
 * Create a clustering of n nodes without pairs.
 *
 * @param id         the cutoff, above 0
 * @param component  [n] the lowest node of each node's component, with edges between the
 *                   pairs for which average_reaches is true
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (a component is too large)
 */
status_t average_create(int64_t n, const fraction_t *id, const int32_t *component,
                        average_t **out) MUST_CHECK;

/* Add pairs; those between components are ignored. */
void average_add(average_t *average, const edge_t *pairs, int64_t n_pairs);

/*
 * Cluster; call this once.  Each component is clustered by one thread of the pool.
 *
 * @param label  [n] the lowest node of each node's cluster
 * @param joins  [n] NULL: not needed.  joins[i]: how the cluster whose lowest node is i
 *               was merged into another; a is -1 if it was not
 */
void average_cluster(average_t *average, pool_t *pool, int32_t *label,
                     cluster_join_t *joins);

/* Takes NULL. */
void average_destroy(average_t *average);

#endif
