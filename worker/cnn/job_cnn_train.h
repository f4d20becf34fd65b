/*
 * job_cnn_train.h - a rank's training: steps of batches, and their checkpoints.
 */
#ifndef RIBOGRID_WORKER_CNN_JOB_CNN_TRAIN_H
#define RIBOGRID_WORKER_CNN_JOB_CNN_TRAIN_H

#include "worker/cnn/job_cnn_state.h"

/* @return what a checkpoint has, about */
double job_cnn_checkpoint_bytes(const job_cnn_t *j);

status_t job_cnn_prepare(job_t *job, const char **kernel_name, double *guess);
void job_cnn_release(job_t *job);
bool job_cnn_is_over(const job_t *job, int64_t k);
status_t job_cnn_step(job_t *job, gang_t *gang, int64_t k);
bool job_cnn_holds(const job_t *job, int64_t task);
status_t job_cnn_save(job_t *job, int64_t task, buf_t *out);
status_t job_cnn_restore(job_t *job, int64_t task, int64_t version, const void *data,
                         size_t len);

/* Take the curves of a record of task 0. @param choices  out, in `data`: of algorithms */
status_t job_cnn_restore_curves(job_cnn_t *j, const void *data, size_t len,
                                const char **choices) MUST_CHECK;

/* As check_record of job_ops_t. */
const char *job_cnn_check_record(job_t *job, int64_t task, int64_t version,
                                 const buf_t *record) MUST_CHECK;

#endif
