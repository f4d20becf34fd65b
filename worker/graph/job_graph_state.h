/*
 * job_graph_state.h - the state of the job "graph", which its files share.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_STATE_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_STATE_H

#include "io/store/reslog.h"
#include "kernels/graph/common/graph_backend.h"
#include "worker/graph/job_graph.h"

#include <time.h>

/* The results of a collected batch, until they are packed. */
typedef struct {
    graph_result_t *results; /* [capacity] */
    int capacity;
} job_graph_collected_t;

typedef struct {
    const graph_opts_t *opts;
    const graph_info_t *info;
    graph_spec_t spec;
    graph_run_t run;
    int cancel; /* set to cancel the job */

    /* the graph, on every rank */
    csr_t graph;
    int64_t *priority; /* [n_nodes] of spec, or NULL */
    double *x;         /* [n_nodes] of spec, or NULL */
    int32_t *sources;  /* [n_sources] ascending */
    int64_t n_sources;

    /* rank 0, the owner of the log */
    char **names; /* [n_nodes] or NULL */
    buf_t text;   /* everything the result depends on, NUL-terminated */
    char *part_path;
    reslog_t *log;
    time_t started;
    double read_s; /* seconds that reading and building took */

    /* every rank, as a worker */
    pool_t *pool;
    device_t device;
    const graph_backend_t *backend;
    void *kernel;   /* the backend's state */
    double copy_s;  /* seconds that its creation took */
    int64_t *tasks; /* [n_submitted] of the batch in flight */
    int n_submitted, tasks_capacity;
    job_graph_collected_t collected[JOB_PLACES];
} job_graph_t;

#endif
