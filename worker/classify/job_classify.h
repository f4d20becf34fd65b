/*
 * job_classify.h - the job "classify": blocks of reads into names, by a model; and
 * "classify train": references and their lineages into a model.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_H

#include "worker/classify/class_opts.h"
#include "worker/job.h"

extern const job_ops_t job_classify_ops;

/*
 * Create the job.
 *
 * @param opts  settled (class_opts_settle); borrowed, with all that it points to
 * @return ST_OK or ST_ENOMEM
 */
status_t job_classify_create(const class_opts_t *opts, void **out) MUST_CHECK;

#endif
