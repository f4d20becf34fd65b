/*
 * serial_algorithms.h - the algorithms of the backend `serial`.
 *
 * Each fills the columns of a result, or its arcs, and counts iterations and visited
 * arcs.  It returns ST_OK, ST_ENOMEM or ST_EINPUT (both logged).
 */
#pragma once

#include "kernels/graph/common/graph_backend.h"

typedef struct {
    const csr_t *graph;
    const csr_t *in; /* the same arcs by target; the graph itself if it is symmetric */
    const graph_spec_t *spec;
    csr_t reversed; /* owns the arrays of `in`, unless that is the graph */
} serial_t;

typedef status_t (*serial_fn_t)(const serial_t *s, const graph_task_t *task,
                                graph_result_t *out);

status_t serial_bfs(const serial_t *s, const graph_task_t *task, graph_result_t *out);
status_t serial_sssp(const serial_t *s, const graph_task_t *task, graph_result_t *out);
status_t serial_pagerank(const serial_t *s, const graph_task_t *task,
                         graph_result_t *out);
status_t serial_betweenness(const serial_t *s, const graph_task_t *task,
                            graph_result_t *out);
status_t serial_spmv(const serial_t *s, const graph_task_t *task, graph_result_t *out);
status_t serial_components(const serial_t *s, const graph_task_t *task,
                           graph_result_t *out);
status_t serial_mst(const serial_t *s, const graph_task_t *task, graph_result_t *out);
status_t serial_mis(const serial_t *s, const graph_task_t *task, graph_result_t *out);
status_t serial_coloring(const serial_t *s, const graph_task_t *task,
                         graph_result_t *out);
status_t serial_triangles(const serial_t *s, const graph_task_t *task,
                          graph_result_t *out);
status_t serial_descendants(const serial_t *s, const graph_task_t *task,
                            graph_result_t *out);
status_t serial_heights(const serial_t *s, const graph_task_t *task, graph_result_t *out);
