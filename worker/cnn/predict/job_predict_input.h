/*
 * job_predict_input.h - what the job "cnn predict" reads, on every rank.
 */
#ifndef RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_INPUT_H
#define RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_INPUT_H

#include "worker/cnn/predict/job_predict_state.h"
#include "worker/exchange.h"

/* Read the model and the images on rank 0, and send them to the others.  Every rank calls
 * it. @return likewise on all ranks an error of rank 0 (logged there) */
status_t job_predict_read(job_predict_t *j, exchange_t *x) MUST_CHECK;

#endif
