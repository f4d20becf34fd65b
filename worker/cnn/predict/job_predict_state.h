/*
 * job_predict_state.h - the state of the job "cnn predict", and the functions that its
 * files share.
 *
 * A task is a batch of the network's program: images task * batch and following ones.
 */
#ifndef RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_STATE_H
#define RIBOGRID_WORKER_CNN_PREDICT_JOB_PREDICT_STATE_H

#include "cnn/solve/cnn_runner.h"
#include "worker/cnn/predict/predict_model.h"
#include "worker/cnn/predict/predict_opts.h"

enum { JOB_PREDICT_TASKS = 4 }; /* collected at once */

/* A class of an image.  Records are [images of the task][top] of these. */
typedef struct {
    int32_t class_number;
    float probability;
} job_predict_answer_t;

typedef struct {
    job_t base;
    const predict_opts_t *opts;

    /* on every rank */
    predict_model_t model;
    image_set_t images; /* names on rank 0 only; labels number the model's classes, -1: a
                         * class that it lacks */
    int top;            /* classes per image */

    /* every rank, as a worker */
    cnn_runner_t runner;
    int64_t tasks[JOB_PREDICT_TASKS];
    int n_tasks;
    job_predict_answer_t *answers[JOB_PLACES];     /* [JOB_PREDICT_TASKS][batch][top] */
    int64_t placed[JOB_PLACES][JOB_PREDICT_TASKS]; /* the tasks of a place */
} job_predict_t;

static inline int64_t job_predict_batch(const job_predict_t *j)
{
    return j->model.program->tensors[0].size[0];
}

static inline int64_t job_predict_n_tasks(const job_predict_t *j)
{
    return (j->images.n + job_predict_batch(j) - 1) / job_predict_batch(j);
}

/* @return the number of images of a task */
static inline int64_t job_predict_n_images(const job_predict_t *j, int64_t task)
{
    const int64_t batch = job_predict_batch(j), left = j->images.n - task * batch;

    return left < batch ? left : batch;
}

/* ---- job_predict_input.c ---- */

/* Read the model and the images on rank 0, and send them to the others.  Every rank calls
 * it. @return likewise on all ranks an error of rank 0 (logged there) */
status_t job_predict_read(job_predict_t *j, exchange_t *x) MUST_CHECK;

/* ---- job_predict_compute.c ---- */

status_t job_predict_prepare(job_t *job, const char **kernel_name, double *guess);
void job_predict_release(job_t *job);
status_t job_predict_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_predict_collect(job_t *job, int place);
status_t job_predict_pack(job_t *job, int place, int k, int thread, buf_t *out);

/* ---- job_predict_store.c ---- */

void job_predict_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_predict_describe(job_t *job);
const char *job_predict_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record);
status_t job_predict_opened(job_t *job);
status_t job_predict_write_result(job_t *job, const job_report_t *report);

#endif
