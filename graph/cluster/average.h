/*
 * average.h - average linkage (UPGMA) at a cutoff, on all pairs.
 *
 * The identity of two clusters is the mean of their members' identities; a pair without
 * an identity counts as 0.  As long as two clusters are left whose mean reaches the
 * cutoff, the two of the best mean merge.  Ties as in complete.h.
 *
 * Arithmetic: an identity is rounded to a multiple of 2^-32; sums of these are exact, so
 * that a mean does not depend on the order of merging, and means are compared in
 * integers. A mean reaches the cutoff if it does so within that rounding (2^-33), so that
 * 96 and 98 of 100 have a mean of 97/100.
 *
 * A mean that reaches the cutoff has a pair that does: clusters stay within the connected
 * components of such pairs.  Each component is clustered alone, with 4 bytes for a pair
 * of its members in all: the caller finds the components first, then hands over all
 * pairs.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_AVERAGE_H
#define RIBOGRID_GRAPH_CLUSTER_AVERAGE_H

#include "graph/cluster/edge.h"
#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/base/status.h"

#include <stdbool.h>

/* Members of a component, at most: more could leave 63 bits. */
enum { AVERAGE_COMPONENT_MAX = 1 << 16 };

typedef struct average average_t;

/* @return whether one pair's identity reaches the cutoff, as this method rounds it */
bool average_reaches(const fraction_t *id, int32_t matches, int32_t columns);

/*
 * Begin with n nodes and no pairs.
 *
 * @param id         the cutoff, above 0
 * @param component  [n] by its least member; of the pairs that average_reaches
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (a component is too large)
 */
status_t average_create(int64_t n, const fraction_t *id, const int32_t *component,
                        average_t **out) MUST_CHECK;

/* Hand over pairs; those between components do not matter. */
void average_add(average_t *average, const edge_t *pairs, int64_t n_pairs);

/*
 * Cluster, the pool's threads a component each; once.
 *
 * @param label  [n] each node's cluster by its least member
 */
void average_cluster(average_t *average, pool_t *pool, int32_t *label);

/* Takes NULL. */
void average_destroy(average_t *average);

#endif
