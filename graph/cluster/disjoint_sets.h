/*
 * disjoint_sets.h - sets that are joined and never parted: union-find with path halving
 * (Tarjan and van Leeuwen 1984).  A set's root is its least member.
 *
 * For one thread, which is told of every join whether it was one, as Kruskal's algorithm
 * needs it.  components.h joins edges by several threads at a time; a join there has no
 * answer, as another thread may be about to make the same.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_DISJOINT_SETS_H
#define RIBOGRID_GRAPH_CLUSTER_DISJOINT_SETS_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t n;
    int32_t *parent; /* [n] */
} disjoint_sets_t;

/* Make n sets of one member each. @return ST_OK or ST_ENOMEM (logged) */
status_t disjoint_sets_make(int64_t n, disjoint_sets_t *out) MUST_CHECK;

/* @return the root of a member's set */
static inline int32_t disjoint_sets_root(disjoint_sets_t *s, int32_t i)
{
    while (s->parent[i] != i)
        i = s->parent[i] = s->parent[s->parent[i]];
    return i;
}

/* Join the sets of a and b. @return whether they were two */
bool disjoint_sets_join(disjoint_sets_t *s, int32_t a, int32_t b);

/* Make every member one again. */
void disjoint_sets_reset(disjoint_sets_t *s);

/* Takes a zeroed one, too. */
void disjoint_sets_free(disjoint_sets_t *s);

#endif
