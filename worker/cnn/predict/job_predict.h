/*
 * job_predict.h - the job "cnn predict": blocks of images into their most probable
 * classes, by a trained network.
 */
#ifndef RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_H
#define RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_H

#include "worker/cnn/predict/predict_opts.h"
#include "worker/job.h"

extern const job_ops_t job_predict_ops;

/*
 * Create the job.
 *
 * @param opts  settled (predict_opts_settle); borrowed, with all that it points to
 * @return ST_OK or ST_ENOMEM
 */
status_t job_predict_create(const predict_opts_t *opts, void **out) MUST_CHECK;

#endif
