/*
 * job_align_store.h - the job "align" on rank 0, which owns the log and the result file.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STORE_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STORE_H

#include "worker/align/job_align_state.h"
#include "worker/job.h"

/*
 * Check, before anything large is read, that the output can be written.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO (no permission), or ST_EINPUT if a result or an
 *         unfinished run is there and neither --force nor --resume is given
 */
status_t job_align_check_output(const job_align_t *j) MUST_CHECK;

/* job_align_text.c: write j->text. */
status_t job_align_write_text(job_align_t *j) MUST_CHECK;

/* As job_ops_t has them. */
status_t job_align_open(void *job);
bool job_align_is_done(const void *job, int64_t task);
status_t job_align_store(void *job, int64_t task, int64_t version, const void *data,
                         size_t len);
status_t job_align_sync(void *job);
status_t job_align_finish(void *job, const job_report_t *report);

#endif
