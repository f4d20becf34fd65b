/*
 * job_predict_store.h - the job "cnn predict" on rank 0, which owns the log and the
 * output.
 */
#ifndef RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_STORE_H
#define RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_STORE_H

#include "worker/cnn/predict/job_predict_state.h"

status_t job_predict_check_output(const job_predict_t *j) MUST_CHECK;

/* As job_ops_t has them. */
status_t job_predict_open(void *job);
bool job_predict_is_done(const void *job, int64_t task);
status_t job_predict_store(void *job, int64_t task, int64_t version, const void *data,
                           size_t len);
status_t job_predict_sync(void *job);
status_t job_predict_finish(void *job, const job_report_t *report);

#endif
