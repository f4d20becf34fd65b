/*
 * predict_runner.h - a trained network on a device, ready to classify.
 */
#ifndef RIBOGRID_WORKER_CNN_PREDICT_PREDICT_RUNNER_H
#define RIBOGRID_WORKER_CNN_PREDICT_PREDICT_RUNNER_H

#include "cnn/solve/cnn_runner.h"
#include "worker/cnn/predict/predict_model.h"
#include "worker/job_opts.h"

/*
 * Choose a kernel, and give it the model's parameters and states.
 *
 * By default it is one whose algorithms follow from the sizes.  Where they are chosen by
 * measuring, ranks may choose different ones, which round differently.
 *
 * @param model   outlives the runner
 * @param opts    of --kernel and --device: a GPU that was not asked for is left alone
 *                where it has no kernel for the model or too little memory
 * @param device  outlives the runner; then it is the CPU
 * @param out     freed by cnn_runner_destroy, also after an error
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EDEVICE or ST_ELOST
 */
status_t predict_runner_create(const predict_model_t *model, const job_opts_t *opts,
                               device_t *device, pool_t *pool,
                               cnn_runner_t *out) MUST_CHECK;

#endif
