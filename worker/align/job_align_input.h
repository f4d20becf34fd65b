/*
 * job_align_input.h - the sequences of the job "align", on every rank.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_INPUT_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_INPUT_H

#include "worker/align/job_align_state.h"
#include "worker/exchange.h"

/*
 * Read and prepare the sequences on rank 0, and send them to the others.  Every rank
 * calls it.
 *
 * @return likewise on all ranks an error of rank 0 (logged there)
 */
status_t job_align_read(job_align_t *j, exchange_t *x) MUST_CHECK;

/* @return the file that sequence i of the set was read from
 * @param record  out: its record in that file, counted from 0 */
const char *job_align_origin(const job_align_t *j, int64_t i, int64_t *record);

#endif
