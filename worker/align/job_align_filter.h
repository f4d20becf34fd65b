/*
 * job_align_filter.h - whether the job "align" filters its pairs, and the filters.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_FILTER_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_FILTER_H

#include "worker/align/job_align_state.h"

extern const char *const job_align_stages[JOB_ALIGN_STAGES]; /* as the file names them */

/* @return whether pairs may be ruled out; it depends on options and sequences alone, so
 *         that all ranks agree */
bool job_align_may_filter(const job_align_t *j);

/* Create the filters if they may be used and are worth their time. */
status_t job_align_filter_prepare(job_align_t *j, const device_t *device) MUST_CHECK;

void job_align_filter_free(job_align_t *j);

#endif
