/*
 * job_predict.h - the job "cnn predict": blocks of images into their most probable
 * classes, by a trained network.
 */
#ifndef RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_H
#define RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_H

#include "worker/cnn/predict/predict_opts.h"
#include "worker/job.h"

/* Of predict_opts_t (predict_opts_settle). */
extern const job_ops_t job_predict_ops;

#endif
