/*
 * job_classify_state.h - the state of the job "classify", which its files share.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_STATE_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_STATE_H

#include "io/modelfile/class_model.h"
#include "kernels/classify/class_train.h"
#include "worker/classify/class_align.h"
#include "worker/classify/class_naming.h"
#include "worker/classify/class_net.h"
#include "worker/classify/job_classify.h"

/* Reads of a task; samples of a task of training. */
enum { JOB_CLASSIFY_BLOCK = 512, JOB_CLASSIFY_SAMPLES = 4 };

/* Of consecutive tasks, which are one batch of the kernel. */
typedef struct {
    nbc_batch_t reads; /* not of training */
    int64_t first_task;
    int n_tasks;
} job_classify_batch_t;

/* The results of a collected batch, until they are packed. */
typedef struct {
    job_classify_batch_t batch;
    nbc_results_t results; /* of capacity reads */
    int64_t capacity;
    int32_t *found;             /* CLASS_ALIGN: [capacity] */
    class_evidence_t *evidence; /* not CLASS_NBC: [capacity][n_ranks] */
    class_example_t *examples;  /* of training: [cases][sets][n_ranks] */
} job_classify_collected_t;

typedef struct {
    job_t base;
    const class_opts_t *opts;

    /* on every rank */
    class_model_t model;
    class_net_t net; /* or none: then the model has references */
    seqset_t *reads; /* NULL while training */
    nbc_classes_t classes;
    int32_t *class_of;     /* [references] or [outputs of the network] */
    class_naming_t naming; /* not while training */
    int64_t n_samples;     /* of training; 0: there are no tasks */

    /* every rank, as a worker */
    nbc_model_t *counts;      /* of the words of the references */
    class_statistics_t known; /* what else training and CLASS_JOINT need */
    class_scratch_t *scratch; /* [threads] */
    class_train_t train;
    seqset_t *samples;    /* of training with alignments */
    class_align_t *align; /* NULL without alignments */
    const nbc_backend_t *backend;
    void *kernel; /* the backend's state */
    job_classify_batch_t
        submitted[JOB_DEPTH_MAX]; /* batch b is element b % JOB_DEPTH_MAX;
                                   * the kernel borrows it */
    int64_t n_submitted, n_collected;
    job_classify_collected_t collected[JOB_PLACES];
} job_classify_t;

/* @return the number of tasks */
static inline int64_t job_classify_n_tasks(const job_classify_t *j)
{
    return j->reads != NULL
               ? (j->reads->n + JOB_CLASSIFY_BLOCK - 1) / JOB_CLASSIFY_BLOCK
               : (j->n_samples + JOB_CLASSIFY_SAMPLES - 1) / JOB_CLASSIFY_SAMPLES;
}

/* @return the first read after those of a task */
static inline int64_t job_classify_end(const job_classify_t *j, int64_t task)
{
    int64_t end = (task + 1) * JOB_CLASSIFY_BLOCK;

    return end < j->reads->n ? end : j->reads->n;
}

#endif
