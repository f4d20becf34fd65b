/*
 * job_align_batch.h - the job "align" on a worker: batches of tiles, as job_ops_t has
 * them.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_BATCH_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_BATCH_H

#include "worker/align/job_align_state.h"

status_t job_align_prepare(job_t *job, const char **kernel_name, double *guess);
void job_align_release(job_t *job); /* undo prepare */
status_t job_align_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_align_collect(job_t *job, int place);
status_t job_align_pack(job_t *job, int place, int k, int thread, buf_t *out);
status_t job_align_check(job_t *job, int64_t task, job_how_t how, buf_t *out);
status_t job_align_equal(const job_t *job, const buf_t *a, const buf_t *b, bool *equal);

/* @return whether pairs may be ruled out; it depends on options and sequences alone, so
 *         that all ranks agree */
bool job_align_may_filter(const job_align_t *j);

/* @return which hits --top counts as better */
pairs_order_t job_align_top_order(const job_align_t *j);

/* job_align_memory.c: how many batches are in flight, and how large they may be */

/* @return batches in flight at a time */
int job_align_depth(const job_align_t *j);

/* @return tiles of a batch, at most */
int job_align_batch_limit(const job_align_t *j);

/* @return pairs that a batch may align, at least those of one tile, and tiles that the
 *         filters take at a time */
search_limits_t job_align_limits(const job_align_t *j);

#endif
