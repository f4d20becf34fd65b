/*
 * job_align_store.h - the job "align" on rank 0, which owns the log and the result file.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STORE_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STORE_H

#include "worker/align/job_align_state.h"
#include "worker/job.h"

/* In the child of the run: read the text of the job that made the output.
 * @param opts  const align_opts_t * */
status_t job_align_answer(const void *opts, int what, buf_t *out) MUST_CHECK;

/* As job_ops_t has them; job_align_text.c: describe. */
status_t job_align_describe(job_t *job);
const char *job_align_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record);
status_t job_align_opened(job_t *job);
status_t job_align_note_result(job_t *job, int64_t task, int64_t version,
                               const void *data, size_t len);
status_t job_align_write_result(job_t *job, const job_report_t *report);

#endif
