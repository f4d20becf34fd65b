/*
 * job_graph_compute.h - the job "graph" on a worker: computes tasks and packs their
 * results.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_COMPUTE_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_COMPUTE_H

#include "worker/graph/job_graph_state.h"

/* As job_ops_t has them. */
status_t job_graph_prepare(job_t *job, const char **kernel_name, double *guess);
void job_graph_release(job_t *job);
status_t job_graph_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_graph_collect(job_t *job, int place);
status_t job_graph_pack(job_t *job, int place, int k, int thread, buf_t *out);

#endif
