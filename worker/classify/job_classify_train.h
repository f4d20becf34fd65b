/*
 * job_classify_train.h - how the job "classify train" learns which names to refuse: a
 * sample of the references is classified without some of the others, in free tasks of a
 * few samples.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_TRAIN_H
#define RIBOGRID_WORKER_CLASSIFY_JOB_CLASSIFY_TRAIN_H

#include "worker/classify/job_classify_state.h"

/* Set j->n_samples: 0 if no rule can be learned (a warning). */
void job_classify_train_plan(job_classify_t *j);

/* List the cases of all tasks, after the counts of words. @return ST_OK or ST_ENOMEM */
status_t job_classify_train_prepare(job_classify_t *j) MUST_CHECK;
void job_classify_train_release(job_classify_t *j);

/* Compute a batch, into the place's examples. @return ST_OK or ST_ENOMEM */
status_t job_classify_train_compute(job_classify_t *j,
                                    job_classify_collected_t *c) MUST_CHECK;

/* Append the k-th task of a place. @return ST_OK or ST_ENOMEM */
status_t job_classify_train_pack(const job_classify_t *j,
                                 const job_classify_collected_t *c, int k,
                                 buf_t *out) MUST_CHECK;

/* @return the number of class_example_t in the record of a task */
int64_t job_classify_train_n_examples(const job_classify_t *j, int64_t task);

/* Learn the rules of the model from the log. @return ST_OK, ST_ENOMEM, ST_EIO or
 * ST_EINPUT (logged) */
status_t job_classify_train_learn(job_classify_t *j) MUST_CHECK;

#endif
