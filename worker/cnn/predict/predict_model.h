/*
 * predict_model.h - a trained network as the job "cnn predict" uses it: read in the child
 * of the run (io/base/child_reader.h), because a damaged file may crash HDF5, and passed
 * to it through a file in memory (io/file/memfd_stream.h).
 */
#pragma once

#include "cnn/net/cnn_net.h"
#include "cnn/solve/cnn_runner.h"
#include "kernels/cnn/common/cnn_program.h"
#include "worker/cnn/predict/predict_opts.h"
#include "worker/job.h"

/* What its file holds. */
typedef struct {
    int32_t n_classes; /* that the network was read for; 0: that of its text */
    int32_t n_named;   /* 0: classes are numbers */
    int64_t text_len, n_values;
    char *text;    /* [text_len], and a NUL: the network */
    char **names;  /* [n_named] of classes; rank 0 */
    float *values; /* of its parameters and states, in the order of its tensors */
} predict_stored_t;

extern const arrays_t predict_stored_arrays;

/* A zeroed one is none. */
typedef struct {
    predict_stored_t stored;
    cnn_net_t *net;
    cnn_program_t *program; /* of inference, with the batch of the options */
    size_t memory_bytes;    /* that it may use on the device; 0: no limit */
} predict_model_t;

/* What a child_fetch of the job asks for. */
enum { PREDICT_CHILD_MODEL = JOB_CHILD_FIRST, PREDICT_CHILD_IMAGES };

/* Before the child is forked: open the files in memory. @return ST_OK or ST_ENOMEM */
status_t predict_child_prepare(predict_opts_t *opts) MUST_CHECK;

/* In the child: answer. @param opts  const predict_opts_t *, settled */
status_t predict_child_answer(const void *opts, int what, buf_t *out) MUST_CHECK;

/* On rank 0: read the model, in the child if the job has a reader. @return ST_OK,
 * ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t predict_model_read(const predict_opts_t *opts, predict_model_t *out) MUST_CHECK;

/* Make network and program of what is stored, unless they exist. @return ST_OK,
 * ST_ENOMEM or ST_EINPUT (logged) */
status_t predict_model_compile(const predict_opts_t *opts, predict_model_t *m) MUST_CHECK;

/* @return what follows from network and values, as a number */
uint64_t predict_model_digest(const predict_model_t *m);

void predict_model_free(predict_model_t *m);

/*
 * Make a trained network on a device ready to classify: choose a kernel, and give it the
 * model's parameters and states.
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
status_t predict_model_runner(const predict_model_t *model, const job_opts_t *opts,
                              device_t *device, pool_t *pool,
                              cnn_runner_t *out) MUST_CHECK;
