/*
 * job_align_results.h - what the job "align" makes of a batch's results: hits and CIGARs.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_RESULTS_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_RESULTS_H

#include "worker/align/job_align_state.h"

/* job_align_hits.c: of a sparse file */

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

/* job_align_cigar.c */

/* @return whether CIGARs are stored; they may also be computed only because identities
 *         need them */
bool job_align_cigar_is_stored(const job_align_t *j);

/* @return host memory that a pair's CIGAR takes, in bytes, roughly; 0: none is computed
 */
int64_t job_align_cigar_bytes(const job_align_t *j);

/* The same of a GPU's memory. */
int64_t job_align_cigar_device_bytes(const job_align_t *j);

/* Append the text of a pair of the batch; nothing if it has no CIGAR. */
status_t job_align_cigar_append(const job_align_t *j, const pair_results_t *results,
                                int64_t pair, buf_t *text) MUST_CHECK;

#endif
