/*
 * job_align.h - the job "align": all pairs of a FASTA file, or queries against
 * references, tile by tile into one HDF5 file of matrices or of hits.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_H

#include "worker/align/align_opts.h"
#include "worker/job.h"

/* Of align_opts_t (align_opts_settle). */
extern const job_ops_t job_align_ops;

/* What a run takes, in bytes. */
typedef struct {
    double output;    /* the result before compression; of hits: not known, 0 */
    double sequences; /* on each rank, and on its GPU */
    double batches;   /* on each rank, at most */
} job_align_size_t;

/* Estimate it. @param job  begun */
job_align_size_t job_align_size(const job_t *job);

/*
 * Check that a run fits the disk of the output and the memory of each rank and its GPU;
 * every rank calls it.  The job's `begin` does so itself, unless the options are those of
 * a plan.
 *
 * @param job  begun
 * @return ST_OK, or ST_EINPUT (logged, with the option that helps)
 */
status_t job_align_check_fit(const job_t *job, exchange_t *x) MUST_CHECK;

#endif
