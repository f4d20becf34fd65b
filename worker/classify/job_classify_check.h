/*
 * job_classify_check.h - whether a log's record can be one of a task of the job
 * "classify".
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_CHECK_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_CHECK_H

#include "worker/classify/job_classify_state.h"

/* As check_record of job_ops_t. */
const char *job_classify_check_record(job_t *job, int64_t task, int64_t version,
                                      const buf_t *record) MUST_CHECK;

#endif
