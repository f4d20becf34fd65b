/*
 * job_classify_input.h - what the job "classify" reads, on every rank.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_INPUT_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_INPUT_H

#include "worker/classify/job_classify_state.h"
#include "worker/exchange.h"

/*
 * Read the model, or the references and their lineages, and the reads, on rank 0, and
 * send them to the others.  Every rank calls it.
 *
 * @return likewise on all ranks an error of rank 0 (logged there)
 */
status_t job_classify_read(job_classify_t *j, exchange_t *x) MUST_CHECK;

#endif
