/*
 * job_graph_store.h - the job "graph" on rank 0, which owns the log and the result file.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_STORE_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_STORE_H

#include "worker/graph/job_graph_state.h"
#include "worker/job.h"

/* job_graph_check.c: as check_record of job_ops_t, of a graph that is not divided. */
const char *job_graph_check_result(const job_graph_t *j, const buf_t *record) MUST_CHECK;

/* @param column  [n] values of some nodes, for each column, of any alignment
 * @return NULL, or what is wrong with them, as check_record of job_ops_t does */
const char *job_graph_check_values(const job_graph_t *j, const char *const *column,
                                   int64_t n) MUST_CHECK;

/* @return whether len bytes are lines of printable text */
bool job_graph_check_lines(const void *text, size_t len);

/* As job_ops_t has them; job_graph_text.c: describe;
 * job_graph_finish.c: write_result. */
void job_graph_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_graph_describe(job_t *job);
status_t job_graph_opened(job_t *job);
status_t job_graph_write_result(job_t *job, const job_report_t *report);

#endif
