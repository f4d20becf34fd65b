/*
 * predict_opts.h - the job "cnn predict" and its options: it classifies images by a
 * trained network, as a front end fills them in.
 *
 * A front end starts from predict_opts_defaults, writes what its user gives; the job
 * checks the combination.
 */
#pragma once

#include "worker/cnn/cnn_opts.h"
#include "worker/job.h"

typedef struct {
    job_opts_t common;

    const char *model;     /* HDF5, of `cnn train` */
    image_source_t images; /* with or without labels */

    /* what to compute */
    int64_t batch;           /* images of a task; 0: the network's */
    int64_t top;             /* classes written per image, at least 1 */
    int64_t seed;            /* of synthetic images */
    cnn_plan_types_t number; /* but CNN_PLAN_FP64 */
    device_limit_t limit;

    /* output */
    int stream; /* the file in memory that the model passes through */
} predict_opts_t;

predict_opts_t predict_opts_defaults(void);

/* The job of these options: blocks of images into their most probable classes, by a
 * trained network. */
extern const job_ops_t job_predict_ops;
