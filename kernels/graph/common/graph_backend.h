/*
 * graph_backend.h - the interface of the graph kernels: a graph and a task in, one value
 * per node out.
 *
 * Every backend returns the same bytes as the backend "serial" (kernels/graph/serial),
 * which is the definition.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/pool.h"
#include "io/graphfile/csr.h"
#include "kernels/device/backend.h"
#include "kernels/graph/common/graph_spec.h"

/* Borrowed until the backend is destroyed. */
typedef struct {
    const device_t *device;
    pool_t *pool; /* NULL: the caller alone */
    const csr_t *graph;
    const graph_spec_t *spec;
    const graph_run_t *run;
} graph_context_t;

/* Nodes to start from, none for algorithms without sources; or a sample. */
typedef struct {
    const int32_t *sources; /* [n_sources] of algorithms that are not summed: one */
    int64_t n_sources;
    int64_t sample; /* of spec->leaves, counted from 1; 0: none */
} graph_task_t;

/* The caller provides the columns and counts, and frees what graph_result_free takes. */
typedef struct {
    void *column[GRAPH_MAX_COLUMNS]; /* [n_nodes] each, of the types of graph_info_on */
    int64_t *count; /* [n_nodes] if counts of leaves are an option: of a task's sample, in
                     * place of the columns */
    int64_t *arcs;  /* [n_arcs] mst: positions in csr_t.to of arcs to larger nodes,
                     * ascending */
    int64_t n_arcs;
    int64_t n_iterations; /* of the outermost loop */
    int64_t n_visited;    /* arcs that were looked at */
    double seconds;       /* of the kernels alone, without copies */
    buf_t decisions;      /* text, one line per choice of template or variant */
} graph_result_t;

typedef struct {
    backend_t base; /* rate: arcs */

    /* @return whether it computes spec->algorithm, which is defined on the graph, with
     * such a run; NULL: it does */
    bool (*takes)(const graph_context_t *context);

    /* @return which choices of graph_run_t it obeys for an algorithm; NULL: none.
     * Contexts with a template that it does not obey never get to it
     * (graph_backend_takes). */
    unsigned (*obeys)(graph_algorithm_t algorithm);

    /* Copy the graph to the device and allocate what computing needs. @return ST_OK,
     * ST_ENOMEM, ST_EDEVICE (not enough memory there) or ST_ELOST */
    status_t (*create)(const graph_context_t *context, void **state);

    /* Compute a task. @return ST_OK, ST_ENOMEM, ST_ELOST, ST_EINPUT (logged: numbers too
     * large for the result's type), or ST_ESTOPPED: the run was cancelled */
    status_t (*compute)(void *state, const graph_task_t *task, graph_result_t *out);

    /* Takes NULL. */
    void (*destroy)(void *state);
} graph_backend_t;

/* Textbook algorithms on one thread, the definition of every result. */
extern const graph_backend_t serial_graph_backend;

/* Parallel algorithms on the threads of a pool, on a GPU, and there by kernels that
 * launch others. */
extern const graph_backend_t cpu_graph_backend, cuda_graph_backend, nested_graph_backend;

/* @return whether a backend computes it with the run's template */
bool graph_backend_takes(const graph_backend_t *backend, const graph_context_t *context);

/*
 * Check that an algorithm is defined on a graph, which backends rely on.  It reads all
 * arcs if lengths are added, or of trees.
 *
 * @param node_names  [n_nodes] or NULL
 * @param name        of the graph, for messages; NULL: none is logged
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t graph_check(graph_algorithm_t algorithm, const csr_t *g, char *const *node_names,
                     const char *name) MUST_CHECK;

/* Log that a source has more than GRAPH_MAX_PATHS paths to a node: as an error, unless
 * the caller goes on without the result. @return ST_EINPUT */
status_t graph_refuse_paths(const graph_spec_t *spec, const csr_t *g,
                            int32_t source) MUST_CHECK;

/* Allocate the columns of an algorithm, and counts. @return ST_OK, or ST_ENOMEM (logged)
 */
status_t graph_result_create(const graph_info_t *info, int64_t n_nodes,
                             graph_result_t *out) MUST_CHECK;

/* Sort the arcs. */
void graph_result_sort_arcs(graph_result_t *r);

/* Free all arrays and set all members to 0. */
void graph_result_free(graph_result_t *r);
