/*
 * job_classify_check.h - whether a log's record can be one of a task of the job
 * "classify".
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_CHECK_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_CHECK_H

#include "worker/classify/job_classify_state.h"

/* As log_check_fn. @param job  const job_classify_t *, whose log is open */
const char *job_classify_check(const void *job, int64_t task, int64_t version,
                               const buf_t *record) MUST_CHECK;

#endif
