/*
 * job_align_batch.h - the job "align" on a worker: batches of tiles, as job_ops_t has
 * them.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_BATCH_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_BATCH_H

#include "worker/align/job_align_state.h"

status_t job_align_prepare(job_t *job, const char **kernel_name, double *guess);
status_t job_align_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_align_collect(job_t *job, int place);
status_t job_align_pack(job_t *job, int place, int k, int thread, buf_t *out);
status_t job_align_check(job_t *job, int64_t task, job_how_t how, buf_t *out);
status_t job_align_equal(const job_t *job, const buf_t *a, const buf_t *b, bool *equal);

void job_align_batch_free(job_align_t *j);

#endif
