/*
 * graph_verify.c - chooses the check of an algorithm.
 */
#include "graph/verify/graph_verify.h"

static status_t (*const checks[GRAPH_N_ALGORITHMS])(const verify_t *v) = {
    [GRAPH_BFS] = verify_bfs,
    [GRAPH_SSSP] = verify_sssp,
    [GRAPH_PAGERANK] = verify_pagerank,
    [GRAPH_BETWEENNESS] = verify_betweenness,
    [GRAPH_SPMV] = verify_spmv,
    [GRAPH_COMPONENTS] = verify_components,
    [GRAPH_MST] = verify_mst,
    [GRAPH_MIS] = verify_mis,
    [GRAPH_COLORING] = verify_coloring,
    [GRAPH_TRIANGLES] = verify_triangles,
    [GRAPH_DESCENDANTS] = verify_descendants,
    [GRAPH_HEIGHTS] = verify_heights,
};

status_t graph_verify(const csr_t *graph, const graph_spec_t *spec,
                      const graph_task_t *task, const graph_result_t *result)
{
    const verify_t v = {graph, spec, task, result};

    return checks[spec->algorithm](&v);
}
