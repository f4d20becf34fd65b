/*
 * job_cnn_model.h - the model and the curves made of the last checkpoint.
 */
#ifndef RIBOGRID_WORKER_CNN_JOB_CNN_MODEL_H
#define RIBOGRID_WORKER_CNN_JOB_CNN_MODEL_H

#include "worker/cnn/job_cnn_state.h"

/* Write the model, and the curves as CSV and SVG if they are asked for. */
status_t job_cnn_write_result(job_t *job, const job_report_t *report) MUST_CHECK;

#endif
