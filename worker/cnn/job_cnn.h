/*
 * job_cnn.h - the job "cnn": trains a network on all ranks together, into one HDF5 file.
 */
#ifndef RIBOGRID_WORKER_CNN_JOB_CNN_H
#define RIBOGRID_WORKER_CNN_JOB_CNN_H

#include "worker/cnn/cnn_opts.h"
#include "worker/job.h"

/* Of cnn_opts_t (cnn_opts_settle). */
extern const job_ops_t job_cnn_ops;

#endif
