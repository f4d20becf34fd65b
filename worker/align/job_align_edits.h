/*
 * job_align_edits.h - the filter by edit distance, for pairs that the k-mer filter of the
 * job "align" has passed.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_EDITS_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_EDITS_H

#include "worker/align/job_align_state.h"

/* Create it for --id, after the k-mer filter, if it is worth its time. */
status_t job_align_edits_prepare(job_align_t *j, const device_t *device) MUST_CHECK;

/*
 * Rule out pairs of the current piece.
 *
 * @param pieces  pairs and start: of the pairs that passed, valid until the next call;
 *                n_by_edits: of those ruled out
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the job is cancelled
 */
status_t job_align_edits_run(job_align_t *j, job_align_pieces_t *pieces) MUST_CHECK;

/* @return host memory that it takes per pair, in bytes */
int64_t job_align_edits_bytes(const job_align_t *j);

void job_align_edits_free(job_align_t *j);

#endif
