/*
 * job_cnn_store.h - the job "cnn" on rank 0: its text, its log, and the model made of the
 * last checkpoint.
 */
#ifndef RIBOGRID_WORKER_CNN_JOB_CNN_STORE_H
#define RIBOGRID_WORKER_CNN_JOB_CNN_STORE_H

#include "worker/cnn/job_cnn_state.h"

status_t job_cnn_check_output(const job_cnn_t *j) MUST_CHECK;

status_t job_cnn_open(void *job);
status_t job_cnn_checkpoint(void *job, int64_t *version);
status_t job_cnn_load(void *job, int64_t task, buf_t *out);
status_t job_cnn_store(void *job, int64_t task, int64_t version, const void *data,
                       size_t len);
status_t job_cnn_sync(void *job);
status_t job_cnn_finish(void *job, const job_report_t *report);

#endif
