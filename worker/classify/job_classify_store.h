/*
 * job_classify_store.h - the job "classify" on rank 0, which owns the log and the output.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_STORE_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_STORE_H

#include "worker/classify/job_classify_state.h"

/* As job_ops_t has them; job_classify_text.c: describe. */
void job_classify_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_classify_describe(job_t *job);
status_t job_classify_opened(job_t *job);
status_t job_classify_write_result(job_t *job, const job_report_t *report);

#endif
