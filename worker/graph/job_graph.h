/*
 * job_graph.h - the job "graph": an algorithm on a graph, source by source or at once,
 * into one HDF5 file.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_H

#include "worker/graph/graph_opts.h"
#include "worker/job.h"

/* Of graph_opts_t (graph_opts_settle). */
extern const job_ops_t job_graph_ops;

/* Read the text of the job that made a result file. @return ST_OK, ST_EIO, ST_EINPUT or
 * ST_ENOMEM (logged) */
status_t job_graph_read_finished(const char *path, buf_t *out) MUST_CHECK;

#endif
