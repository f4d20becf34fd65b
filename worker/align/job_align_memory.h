/*
 * job_align_memory.h - how many batches of the job "align" are in flight, and how large
 * they and the filter's pieces may be.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_MEMORY_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_MEMORY_H

#include "worker/align/job_align_state.h"

/* @return batches in flight at a time */
int job_align_depth(const void *job);

/* @return tiles of a batch, at most */
int job_align_batch_limit(const void *job);

/* @return pairs that a batch may align, at least those of one tile, and tiles that the
 *         filters take at a time */
search_limits_t job_align_limits(const job_align_t *j);

#endif
