/*
 * job_align_memory.h - how many batches of the job "align" are in flight, and how large
 * they and the filter's pieces may be.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_MEMORY_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_MEMORY_H

#include "worker/align/job_align_state.h"

/* @return batches in flight at a time */
int job_align_depth(const job_align_t *j);

/* @return tiles of a batch, at most */
int job_align_batch_limit(const job_align_t *j);

/* @return pairs that a batch may align, at least those of one tile */
int64_t job_align_batch_pairs(const job_align_t *j);

/* @return tiles that a piece of the filter may have, at least one */
int job_align_piece_limit(const job_align_t *j);

#endif
