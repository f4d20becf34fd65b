/*
 * job_classify.c - the job "classify": its beginning and its table of functions.
 */
#include "worker/classify/class_opts.h"

#include "worker/classify/job_classify_state.h"

#include <stdlib.h>

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    class_opts_t *o = (class_opts_t *)opts;
    status_t st = class_child_prepare(o);

    *out = (job_reader_t){.is_needed = o->stream >= 0,
                          .answer = class_child_answer,
                          .files = {o->model}};
    return st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_classify_t *j = (job_classify_t *)job;
    status_t st;

    j->opts = (const class_opts_t *)job->opts;
    if ((st = job_classify_read(j, x)) != ST_OK)
        return st;
    if (j->opts->is_training)
        job_classify_train_plan(j);
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = job_classify_n_tasks(j),
                             .task_word = "blocks",
                             .item_word = j->opts->is_training ? "samples" : "reads"};
    return ST_OK;
}

static int64_t items(const job_t *job, int64_t task)
{
    const job_classify_t *j = (const job_classify_t *)job;

    if (task >= job_classify_n_blocks(j))
        return 0; /* parts are no reads */
    if (j->opts->is_training)
        return task < job_classify_n_tasks(j) - 1
                   ? JOB_CLASSIFY_SAMPLES
                   : j->n_samples - task * JOB_CLASSIFY_SAMPLES;
    return job_classify_end(j, task) - task * JOB_CLASSIFY_BLOCK;
}

/* About what a case costs. */
enum { CASE_COST = 14 * 1000 * 1000 };

/* Every base begins a word, which is added up for every class; images of a network all
 * cost the same. */
static int64_t cost(const job_t *job, int64_t task)
{
    const job_classify_t *j = (const job_classify_t *)job;
    const int64_t *offset;

    if (j->opts->is_training)
        return job_classify_train_n_cases(j, task) * CASE_COST;
    if (task >= job_classify_n_blocks(j))
        return job_classify_parts_n_cases(j, task) * CASE_COST;
    if (class_net_exists(&j->net))
        return items(job, task) *
               (int64_t)class_net_flops(&j->net, j->opts->strands == CLASS_STRANDS_BOTH);
    offset = j->reads->offset;
    return (offset[job_classify_end(j, task)] - offset[task * JOB_CLASSIFY_BLOCK]) *
           j->classes.n;
}

static void free_job(job_t *job)
{
    job_classify_t *j = (job_classify_t *)job;

    class_region_parts_free(&j->parts);
    class_naming_free(&j->naming);
    class_model_free(&j->model);
    predict_model_free(&j->net.model);
    seqset_destroy(j->reads);
    nbc_classes_free(&j->classes);
    free(j->class_of);
    seq_files_free(&j->files);
    free(j->sizes);
    class_samples_free(&j->samples_of);
}

const job_ops_t job_classify_ops = {
    .name = "classify",
    .size = sizeof(job_classify_t),
    .settle = class_opts_settle,
    .reader = reader,
    .outputs = job_classify_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_classify_describe,
    .check_record = job_classify_check_record,
    .opened = job_classify_opened,
    .prepare = job_classify_prepare,
    .release = job_classify_release,
    .submit = job_classify_submit,
    .collect = job_classify_collect,
    .pack = job_classify_pack,
    .write_result = job_classify_write_result,
    .free = free_job,
};
