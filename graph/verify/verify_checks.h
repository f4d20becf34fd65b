/*
 * verify_checks.h - one function per algorithm; graph_verify.h says what they check.
 *
 * Each returns ST_OK, ST_EINPUT (logged by verify_refuse) or ST_ENOMEM (logged).
 */
#ifndef RIBOGRID_GRAPH_VERIFY_VERIFY_CHECKS_H
#define RIBOGRID_GRAPH_VERIFY_VERIFY_CHECKS_H

#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_backend.h"

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

/* Log a violation. @return ST_EINPUT */
status_t verify_refuse(const verify_t *v, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* @return the original id of a node, in the type that %lld takes; -1 for no node */
static inline long long verify_id(const verify_t *v, int32_t node)
{
    return node >= 0 && node < v->graph->n_nodes ? v->graph->id[node] : -1;
}

#endif
