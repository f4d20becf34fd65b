/*
 * graph_verify.h - checks results of graph jobs against the definitions in graph_spec.h.
 *
 * No kernel is trusted: results are checked by invariants, as in the GAP benchmark
 * (Beamer, Asanovic, Patterson 2015), or computed again in another way.
 */
#pragma once

#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_backend.h"

/*
 * Check a result.  Sums of real numbers may differ in their last digits.
 *
 * - bfs: arcs lead at most one level down and to no unreached node; each parent is the
 *   smallest neighbor one level above.
 * - sssp: no arc gives a smaller distance; arcs that give exactly the distance lead from
 *   the source to all reached nodes; of real distances all bits count.
 * - pagerank: one more iteration changes less than the tolerance, unless the number of
 *   iterations was the limit; the ranks add up to 1, or less if dangling ranks leak.
 * - betweenness, spmv, triangles: equal to a second computation.
 * - components: equal to disjoint sets of all arcs.
 * - mst: no edge of the forest closes a cycle; each other edge closes a cycle of edges
 *   that come before it by weight, source and target.
 * - mis: no two neighbors are in the set; each node outside has a neighbor in it that
 *   comes before it.
 * - coloring: no two neighbors have the same color; each smaller color is that of a
 *   neighbor that comes before.
 *
 * @param task  the sources; of betweenness all that were added up, and the centrality is
 *              not halved
 * @return ST_OK, ST_EINPUT (logged: the first violation) or ST_ENOMEM (logged)
 */
status_t graph_verify(const csr_t *graph, const graph_spec_t *spec,
                      const graph_task_t *task, const graph_result_t *result) MUST_CHECK;

/* The checks, one function per algorithm.
 *
 * Each returns ST_OK, ST_EINPUT (logged by verify_refuse) or ST_ENOMEM (logged). */

typedef struct {
    const csr_t *graph;
    const graph_spec_t *spec;
    const graph_task_t *task;
    const graph_result_t *result;
} verify_t;

status_t verify_bfs(const verify_t *v);
status_t verify_sssp(const verify_t *v);
status_t verify_pagerank(const verify_t *v);
status_t verify_betweenness(const verify_t *v);
status_t verify_spmv(const verify_t *v);
status_t verify_components(const verify_t *v);
status_t verify_mst(const verify_t *v);
status_t verify_mis(const verify_t *v);
status_t verify_coloring(const verify_t *v);
status_t verify_triangles(const verify_t *v);
status_t verify_descendants(const verify_t *v);
status_t verify_heights(const verify_t *v);

/* Log a violation. @return ST_EINPUT */
status_t verify_refuse(const verify_t *v, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* @return the original id of a node, in the type that %lld takes; -1 for no node */
static inline long long verify_id(const verify_t *v, int32_t node)
{
    return node >= 0 && node < v->graph->n_nodes ? v->graph->id[node] : -1;
}
