/*
 * job_graph_store.h - the job "graph" on rank 0, which owns the log and the result file.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_STORE_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_STORE_H

#include "worker/graph/job_graph_state.h"
#include "worker/job.h"

/*
 * Check, before anything large is read, that the outputs can be written.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO (no permission), or ST_EINPUT if a result or an
 *         unfinished run is there and neither --force nor --resume is given
 */
status_t job_graph_check_output(const job_graph_t *j) MUST_CHECK;

/* job_graph_text.c: write j->text. */
status_t job_graph_write_text(job_graph_t *j) MUST_CHECK;

/* job_graph_finish.c: make the result file of the log.  @param report  of this run */
status_t job_graph_write_result(const job_graph_t *j,
                                const job_report_t *report) MUST_CHECK;

/* job_graph_check.c: whether records of free tasks can be those, as log_check_fn.
 * @param job  const job_graph_t *, whose log is open */
const char *job_graph_check(const void *job, int64_t task, int64_t version,
                            const buf_t *record) MUST_CHECK;

/* @param column  [n] values of some nodes, for each column, of any alignment
 * @return NULL, or what is wrong with them, as log_check_fn does */
const char *job_graph_check_values(const job_graph_t *j, const char *const *column,
                                   int64_t n) MUST_CHECK;

/* @return whether len bytes are lines of printable text */
bool job_graph_check_lines(const void *text, size_t len);

/* As job_ops_t has them. */
status_t job_graph_open(void *job);
bool job_graph_is_done(const void *job, int64_t task);
status_t job_graph_store(void *job, int64_t task, int64_t version, const void *data,
                         size_t len);
status_t job_graph_sync(void *job);
status_t job_graph_finish(void *job, const job_report_t *report);

#endif
