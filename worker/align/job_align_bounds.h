/*
 * job_align_bounds.h - lower bounds on the best hits of each query, for --top.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_BOUNDS_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_BOUNDS_H

#include "worker/align/job_align_state.h"

/* @return whether the options and the number of references make a search worth trying */
bool job_align_bounds_are_useful(const job_align_t *j);

/*
 * Decide which identities to search, by a sample.
 *
 * @param identity  in: that of --id, 0/1 if none was given; out: the identity to create
 *                  the filter for, 0/1 if no filter would help
 */
status_t job_align_bounds_prepare(job_align_t *j, const device_t *device,
                                  filter_shape_t shape, fraction_t *identity) MUST_CHECK;

/*
 * Find the bounds and give them to the filter as the identities of its rows; destroy the
 * filter if it has nothing to rule out.  Only the first call, before the first batch,
 * does anything.
 *
 * @return ST_OK (also once the job is cancelled), ST_ENOMEM or ST_EDEVICE
 */
status_t job_align_bounds_find(job_align_t *j) MUST_CHECK;

#endif
