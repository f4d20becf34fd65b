/*
 * job_cnn_store.h - the job "cnn" on rank 0: its outputs and its text.
 */
#ifndef RIBOGRID_WORKER_CNN_JOB_CNN_STORE_H
#define RIBOGRID_WORKER_CNN_JOB_CNN_STORE_H

#include "worker/cnn/job_cnn_state.h"

/* As job_ops_t has them. */
void job_cnn_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_cnn_describe(job_t *job);
status_t job_cnn_opened(job_t *job);

#endif
