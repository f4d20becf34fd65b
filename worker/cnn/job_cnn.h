/*
 * job_cnn.h - the job "cnn": trains a network on all ranks together, into one HDF5 file.
 */
#ifndef RIBOGRID_WORKER_CNN_JOB_CNN_H
#define RIBOGRID_WORKER_CNN_JOB_CNN_H

#include "worker/cnn/cnn_opts.h"
#include "worker/job.h"

extern const job_ops_t job_cnn_ops;

/*
 * Create the job.
 *
 * @param opts  settled (cnn_opts_settle); borrowed, with all that it points to
 * @return ST_OK or ST_ENOMEM
 */
status_t job_cnn_create(const cnn_opts_t *opts, void **out) MUST_CHECK;

#endif
