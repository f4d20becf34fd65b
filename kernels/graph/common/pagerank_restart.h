/*
 * pagerank_restart.h - PageRank that begins with the ranks of an earlier graph: passes
 * over working sets, and what all backends agree on.
 *
 * A pass computes ranks from shares, which nodes give to their arcs.  A share stays as it
 * is while the rank has not moved far from the one that the share is made of.  Nodes that
 * have moved farther renew their shares, and those that their arcs lead to are the next
 * working set.  After a pass every rank is the one that an iteration over all nodes makes
 * of these shares, so that all distances add up to the change of that iteration.  Passes
 * end where iterations do, by the same tolerance.
 *
 * How far a node has to move is halved until those that have hold half of the change.
 *
 * What nodes without arcs give to all nodes stays as it is during passes over working
 * sets; how far it has drifted counts as change.  If it has drifted too far, or the set
 * has too many arcs, the next pass is an iteration over all nodes.
 */
#pragma once

#include "io/base/buf.h"
#include "io/graphfile/csr.h"
#include "kernels/graph/common/graph_spec.h"

typedef struct {
    double first_moved; /* how far nodes move at first: this times the change */
    double drift;
    int64_t out_arcs; /* of nodes that have moved: if there are more, the set is not even
                       * listed */
    int64_t arcs;     /* of these and into the set */
} pagerank_limits_t;

pagerank_limits_t pagerank_limits(const graph_spec_t *spec, const csr_t *g);

/* @return [n_nodes] the ranks to begin with; NULL: all are equal */
static inline const double *pagerank_first_rank(const graph_spec_t *spec)
{
    return spec->restart == GRAPH_RESTART_COLD ? NULL : spec->rank;
}

/* @return whether passes over working sets come first */
static inline bool pagerank_has_sets(const graph_spec_t *spec)
{
    return spec->rank != NULL &&
           (spec->restart == GRAPH_RESTART_AUTO || spec->restart == GRAPH_RESTART_SET);
}

/* Append how the ranks were computed, if there were earlier ones.
 * @return ST_OK or ST_ENOMEM (logged) */
status_t pagerank_note(const graph_spec_t *spec, int64_t n_set_passes, int64_t n_passes,
                       buf_t *out) MUST_CHECK;
