/*
 * job_predict_compute.h - batches of images through a network, and their records.
 */
#ifndef RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_COMPUTE_H
#define RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_COMPUTE_H

#include "worker/cnn/predict/job_predict_state.h"

/* As job_ops_t has them. */
status_t job_predict_prepare(job_t *job, const char **kernel_name, double *guess);
void job_predict_release(job_t *job);
status_t job_predict_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_predict_collect(job_t *job, int place);
status_t job_predict_pack(job_t *job, int place, int k, int thread, buf_t *out);

#endif
