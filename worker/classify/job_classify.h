/*
 * job_classify.h - the job "classify": blocks of reads into names, by a model; and
 * "classify train": references and their lineages into a model.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_H

#include "worker/classify/class_opts.h"
#include "worker/job.h"

/* Of class_opts_t (class_opts_settle). */
extern const job_ops_t job_classify_ops;

#endif
