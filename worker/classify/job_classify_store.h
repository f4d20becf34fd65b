/*
 * job_classify_store.h - the job "classify" on rank 0, which owns the log and the output.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_STORE_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_STORE_H

#include "worker/classify/job_classify_state.h"

/*
 * Check, before anything large is read, that the output can be written.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO (no permission), or ST_EINPUT if a result or an
 *         unfinished run is there and neither --force nor --resume is given
 */
status_t job_classify_check_output(const job_classify_t *j) MUST_CHECK;

/* job_classify_text.c: write j->text. */
status_t job_classify_write_text(job_classify_t *j) MUST_CHECK;

/* As job_ops_t has them. */
status_t job_classify_open(void *job);
bool job_classify_is_done(const void *job, int64_t task);
status_t job_classify_store(void *job, int64_t task, int64_t version, const void *data,
                            size_t len);
status_t job_classify_sync(void *job);
status_t job_classify_finish(void *job, const job_report_t *report);

#endif
