/*
 * job_graph_compute.h - the job "graph" on a worker: computes tasks and packs their
 * results.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_COMPUTE_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_COMPUTE_H

#include "worker/graph/job_graph_state.h"

/* As job_ops_t has them. */
status_t job_graph_prepare(void *job, const device_t *device, pool_t *pool,
                           const char **kernel_name, double *guess);
void job_graph_release(void *job);
int job_graph_batch_limit(const void *job);
int job_graph_depth(const void *job);
status_t job_graph_submit(void *job, const int64_t *tasks, int n, int *n_begun);
status_t job_graph_collect(void *job, int place);
status_t job_graph_pack(void *job, int place, int k, int thread, buf_t *out);
void job_graph_cancel(void *job);

#endif
