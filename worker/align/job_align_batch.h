/*
 * job_align_batch.h - the job "align" on a worker: batches of tiles, as job_ops_t has
 * them.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_BATCH_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_BATCH_H

#include "worker/align/job_align_state.h"

status_t job_align_prepare(void *job, const device_t *device, pool_t *pool,
                           const char **kernel_name, double *guess);
void job_align_release(void *job); /* undo prepare */
status_t job_align_submit(void *job, const int64_t *tasks, int n, int *n_begun);
status_t job_align_collect(void *job, int place);
status_t job_align_pack(void *job, int place, int k, int thread, buf_t *out);
void job_align_cancel(void *job);
status_t job_align_check(void *job, int64_t task, job_how_t how, buf_t *out);
status_t job_align_equal(const void *job, const buf_t *a, const buf_t *b, bool *equal);

/* @return whether pairs may be ruled out; it depends on options and sequences alone, so
 *         that all ranks agree */
bool job_align_may_filter(const job_align_t *j);

/* job_align_memory.c: how many batches are in flight, and how large they may be */

/* @return batches in flight at a time */
int job_align_depth(const void *job);

/* @return tiles of a batch, at most */
int job_align_batch_limit(const void *job);

/* @return pairs that a batch may align, at least those of one tile, and tiles that the
 *         filters take at a time */
search_limits_t job_align_limits(const job_align_t *j);

/* job_align_hits.c: of a sparse file, and CIGARs */

/* @return which hits --top counts as better */
pairs_order_t job_align_top_order(const job_align_t *j);

/* Keep the hits among a batch's results, with their CIGARs. */
status_t job_align_hits_collect(job_align_t *j, const search_batch_t *batch,
                                const pair_results_t *results,
                                const search_values_t *values,
                                job_align_collected_t *out) MUST_CHECK;

/* Append the record of the k-th tile collected. */
status_t job_align_hits_pack(const job_align_collected_t *c, int k,
                             buf_t *out) MUST_CHECK;

void job_align_hits_free(job_align_hits_t *h);

/* @return whether CIGARs are stored; they may also be computed only because identities
 *         need them */
bool job_align_cigar_is_stored(const job_align_t *j);

/* Append the text of a pair of the batch; nothing if it has no CIGAR. */
status_t job_align_cigar_append(const job_align_t *j, const pair_results_t *results,
                                int64_t pair, buf_t *text) MUST_CHECK;

#endif
