/*
 * align_plan.h - what `align --plan` prints instead of computing: what a run takes, and
 * whether it fits.
 */
#ifndef RIBOGRID_TOOLS_ALIGN_PLAN_H
#define RIBOGRID_TOOLS_ALIGN_PLAN_H

#include "worker/job.h"

/*
 * Plan a run; every rank calls it, and the job is destroyed at the end.
 *
 * Reads the input, measures the kernels as a run would, or takes their rates from the
 * cache, and has rank 0 print to stdout.
 *
 * @param job  of job_align_ops, with options of a plan and a binding
 * @return ST_OK, ST_EINPUT (logged, with the option that helps: the run does not fit), or
 *         an error of the job
 */
status_t align_plan_run(job_t *job, exchange_t *x) MUST_CHECK;

#endif
