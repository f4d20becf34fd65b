/*
 * job_classify_compute.h - a worker's part of the job "classify".
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_COMPUTE_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_COMPUTE_H

#include "worker/classify/job_classify_state.h"

/* As job_ops_t has them. */
status_t job_classify_prepare(job_t *job, const char **kernel_name, double *guess);
void job_classify_release(job_t *job);
status_t job_classify_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_classify_collect(job_t *job, int place);
status_t job_classify_pack(job_t *job, int place, int k, int thread, buf_t *out);

/*
 * Copy the calls of a record.
 *
 * @param at  the place in `out` of the task's first read
 * @return ST_OK, or ST_EINPUT: the record is not one of this task
 */
status_t job_classify_unpack(const job_classify_t *j, int64_t task, const void *data,
                             size_t len, int64_t at, class_calls_t *out) MUST_CHECK;

#endif
