/*
 * disjoint_sets.h - union-find with path halving (Tarjan and van Leeuwen 1984).  The root
 * of a set is its lowest member.
 *
 * It is for a single thread: disjoint_sets_join returns whether two sets were joined, as
 * Kruskal's algorithm requires.  shared_sets.h joins edges in several threads and has no
 * such result, since another thread may join the same sets at the same time.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_COMMON_DISJOINT_SETS_H
#define RIBOGRID_KERNELS_GRAPH_COMMON_DISJOINT_SETS_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t n;
    int32_t *parent; /* [n] */
} disjoint_sets_t;

/* Create n sets of one member each. @return ST_OK or ST_ENOMEM (logged) */
status_t disjoint_sets_make(int64_t n, disjoint_sets_t *out) MUST_CHECK;

/* @return the root of a member's set */
static inline int32_t disjoint_sets_root(disjoint_sets_t *s, int32_t i)
{
    while (s->parent[i] != i)
        i = s->parent[i] = s->parent[s->parent[i]];
    return i;
}

/* Join the sets of a and b. @return whether they were different sets */
bool disjoint_sets_join(disjoint_sets_t *s, int32_t a, int32_t b);

/* Return to sets of one member each. */
void disjoint_sets_reset(disjoint_sets_t *s);

/* Takes a zeroed one, too. */
void disjoint_sets_free(disjoint_sets_t *s);

#endif
