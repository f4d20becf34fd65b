/*
 * job_cnn_input.h - rank 0 reads images and network of the job "cnn" and sends them to
 * the other ranks.
 */
#ifndef RIBOGRID_WORKER_CNN_JOB_CNN_INPUT_H
#define RIBOGRID_WORKER_CNN_JOB_CNN_INPUT_H

#include "worker/cnn/job_cnn_state.h"
#include "worker/exchange.h"

/* Fill in the images, the network and its programs. */
status_t job_cnn_read(job_cnn_t *j, exchange_t *x) MUST_CHECK;

#endif
