/*
 * job_predict_store.h - the job "cnn predict" on rank 0, which owns the log and the
 * output.
 */
#ifndef RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_STORE_H
#define RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_STORE_H

#include "worker/cnn/predict/job_predict_state.h"

/* As job_ops_t has them. */
void job_predict_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_predict_describe(job_t *job);
const char *job_predict_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record);
status_t job_predict_opened(job_t *job);
status_t job_predict_write_result(job_t *job, const job_report_t *report);

#endif
