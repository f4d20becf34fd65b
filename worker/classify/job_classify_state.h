/*
 * job_classify_state.h - the state of the job "classify", and the functions that its
 * files share.
 */
#pragma once

#include "io/modelfile/class_model.h"
#include "kernels/classify/class_region.h"
#include "worker/classify/class_align.h"
#include "worker/classify/class_naming.h"
#include "worker/classify/class_net.h"
#include "worker/classify/class_opts.h"
#include "worker/cnn/predict/predict_model.h"
#include "worker/job_output.h"

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
    uint16_t *absent;           /* of parts: [cases], JOB_CLASSIFY_NONE or a support */
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
    nbc_model_t refs;      /* the references and their classes alone, which parts need */
    class_region_parts_t
        parts;         /* of references, to learn thresholds for the reads from */
    int64_t n_samples; /* of training; 0: there are no tasks */

    /* rank 0 */
    seq_files_t files;          /* of the reads, or of the references */
    int64_t *sizes;             /* [reads] abundances; NULL: not read */
    class_samples_t samples_of; /* of the reads */

    /* every rank, as a worker */
    nbc_model_t *counts;      /* of the words of the references */
    class_statistics_t known; /* what else training and CLASS_JOINT need */
    class_scratch_t *scratch; /* [threads] */
    class_train_t train;
    seqset_t *samples;    /* of training with alignments */
    class_align_t *align; /* NULL without alignments */
    class_align_t *parts_align;
    const nbc_backend_t *backend;
    void *kernel; /* the backend's state */
    job_classify_batch_t
        submitted[JOB_DEPTH_MAX]; /* batch b is element b % JOB_DEPTH_MAX;
                                   * the kernel borrows it */
    int64_t n_submitted, n_collected;
    job_classify_collected_t collected[JOB_PLACES];

    buf_t *kept; /* [tasks] their results, if there is no log (class_run.h); or NULL */
} job_classify_t;

/* @return the number of tasks that are blocks of reads, or of samples of training */
static inline int64_t job_classify_n_blocks(const job_classify_t *j)
{
    return j->reads != NULL
               ? (j->reads->n + JOB_CLASSIFY_BLOCK - 1) / JOB_CLASSIFY_BLOCK
               : (j->n_samples + JOB_CLASSIFY_SAMPLES - 1) / JOB_CLASSIFY_SAMPLES;
}

/* @return the number of tasks: those blocks, and behind them blocks of parts */
static inline int64_t job_classify_n_tasks(const job_classify_t *j)
{
    return job_classify_n_blocks(j) +
           (j->parts.train.n + JOB_CLASSIFY_SAMPLES - 1) / JOB_CLASSIFY_SAMPLES;
}

/* @return the first read after those of a task, a block of reads */
static inline int64_t job_classify_end(const job_classify_t *j, int64_t task)
{
    int64_t end = (task + 1) * JOB_CLASSIFY_BLOCK;

    return end < j->reads->n ? end : j->reads->n;
}

/* Read the result of a task. @return ST_OK, ST_ENOMEM or ST_EIO */
MUST_CHECK static inline status_t job_classify_read_record(const job_classify_t *j,
                                                           int64_t task, buf_t *out)
{
    if (j->kept == NULL)
        return reslog_read(j->base.log, task, out);
    out->len = 0;
    return buf_append(out, j->kept[task].data, j->kept[task].len);
}

/* ---- job_classify_input.c ---- */

/*
 * Read the model, or the references and their lineages, and the reads, on rank 0, and
 * send them to the others.  Every rank calls it.
 *
 * @return likewise on all ranks an error of rank 0 (logged there)
 */
status_t job_classify_read(job_classify_t *j, exchange_t *x) MUST_CHECK;

/* ---- job_classify_compute.c ---- */

status_t job_classify_prepare(job_t *job, const char **kernel_name, double *guess);
void job_classify_release(job_t *job);
status_t job_classify_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_classify_collect(job_t *job, int place);
status_t job_classify_pack(job_t *job, int place, int k, int thread, buf_t *out);

/*
 * Copy the calls of a record.
 *
 * @param at  the place in `out` of the task's first read
 * @return ST_OK, or ST_EINPUT: the record is not one of this task
 */
status_t job_classify_unpack(const job_classify_t *j, int64_t task, const void *data,
                             size_t len, int64_t at, class_calls_t *out) MUST_CHECK;

/* ---- job_classify_train.c ---- */

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

/* @return the number of cases of a task, CLASS_TRAIN_GROUPS of each sample, and that of
 * class_example_t in its record, which are as many of each case, one after the other */
int64_t job_classify_train_n_cases(const job_classify_t *j, int64_t task) MUST_CHECK;
int64_t job_classify_train_n_examples(const job_classify_t *j, int64_t task);

/* Learn the rules of the model from the log. @return ST_OK, ST_ENOMEM, ST_EIO or
 * ST_EINPUT (logged) */
status_t job_classify_train_learn(job_classify_t *j) MUST_CHECK;

/* ---- job_classify_parts.c: thresholds for the region and the length of the reads ----
 */

/* In the record of a part: no taxon was found that has a rule. */
enum { JOB_CLASSIFY_NONE = UINT16_MAX };

/* Compare the reads with the references, and cut parts if thresholds have to be learned.
 * @return ST_OK or ST_ENOMEM */
status_t job_classify_parts_plan(job_classify_t *j) MUST_CHECK;

/* [log] Say what the reads are, if not what the model was trained for. */
void job_classify_parts_report(const job_classify_t *j);

/* @return the number of cases of a task, a block of parts */
int64_t job_classify_parts_n_cases(const job_classify_t *j, int64_t task);

/* Compute a batch of parts, into the place's absent. @return ST_OK or ST_ENOMEM */
status_t job_classify_parts_compute(job_classify_t *j,
                                    job_classify_collected_t *c) MUST_CHECK;

/* Append the k-th task of a place. @return ST_OK or ST_ENOMEM */
status_t job_classify_parts_pack(const job_classify_t *j,
                                 const job_classify_collected_t *c, int k,
                                 buf_t *out) MUST_CHECK;

/* Learn the limits of names from the log, if there are parts.
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t job_classify_parts_learn(job_classify_t *j) MUST_CHECK;

/* ---- job_classify_store.c ---- */

/* As check_record of job_ops_t. */
const char *job_classify_check_record(job_t *job, int64_t task, int64_t version,
                                      const buf_t *record) MUST_CHECK;

/* Make the names of all reads of all results.
 * @param out  freed by the caller @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t job_classify_name(job_classify_t *j, class_calls_t *out) MUST_CHECK;

void job_classify_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_classify_describe(job_t *job);
status_t job_classify_opened(job_t *job);
status_t job_classify_write_result(job_t *job, const job_report_t *report);

/* class_child.c: reads the HDF5 files of the job "classify" in the child of the run
 * (io/base/child_reader.h), because a damaged file may crash HDF5.
 *
 * The arrays of the model pass through a file in memory, which the child inherits. */

/* What a child_fetch of the job asks for. */
enum {
    CLASS_CHILD_MODEL = JOB_CHILD_FIRST, /* also the question of predict_model_read */
    CLASS_CHILD_KIND                     /* whether the model is a network: a bool */
};

/*
 * Before the child is forked: open the file that the model passes through, and set
 * o->stream to it; training needs none.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t class_child_prepare(class_opts_t *o) MUST_CHECK;

/* In the child: answer.  @param opts  const class_opts_t *, settled */
status_t class_child_answer(const void *opts, int what, buf_t *out) MUST_CHECK;

/*
 * Read the model, in the child if the job has a reader.
 *
 * @param o    settled
 * @param out  unless the model is a network; freed by the caller
 * @param net  if it is; freed by the caller
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t class_child_read_model(const class_opts_t *o, class_model_t *out,
                                predict_model_t *net) MUST_CHECK;
