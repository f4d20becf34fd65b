/*
 * job_classify.c - the job "classify": its beginning and its table of functions.
 */
#include "worker/classify/job_classify.h"

#include "io/base/logmsg.h"
#include "worker/classify/job_classify_compute.h"
#include "worker/classify/job_classify_input.h"
#include "worker/classify/job_classify_store.h"
#include "worker/classify/job_classify_train.h"

#include <stdio.h>
#include <stdlib.h>

static status_t begin(void *job, exchange_t *x, job_plan_t *out)
{
    job_classify_t *j = job;
    bool is_owner = x->rank == 0; /* of files, and of messages about the job */
    status_t st;

    if ((st = exchange_agree(x, is_owner ? job_classify_check_output(j) : ST_OK)) !=
            ST_OK ||
        (st = job_classify_read(j, x)) != ST_OK)
        return st;
    if (j->opts->is_training)
        job_classify_train_plan(j);
    *out = (job_plan_t){.kind = JOB_FREE,
                        .n_tasks = job_classify_n_tasks(j),
                        .task_word = "blocks",
                        .item_word = j->opts->is_training ? "samples" : "reads",
                        .kept_in = j->part_path};
    return ST_OK;
}

static int64_t items(const void *job, int64_t task)
{
    const job_classify_t *j = job;

    if (j->opts->is_training)
        return task < job_classify_n_tasks(j) - 1
                   ? JOB_CLASSIFY_SAMPLES
                   : j->n_samples - task * JOB_CLASSIFY_SAMPLES;
    return job_classify_end(j, task) - task * JOB_CLASSIFY_BLOCK;
}

/* About what the cases of a sample cost. */
enum { SAMPLE_COST = 100 * 1000 * 1000 };

/* Every base begins a word, which is added up for every class; images of a network all
 * cost the same. */
static int64_t cost(const void *job, int64_t task)
{
    const job_classify_t *j = job;
    const int64_t *offset;

    if (j->opts->is_training)
        return items(job, task) * SAMPLE_COST;
    if (class_net_exists(&j->net))
        return items(job, task) *
               (int64_t)class_net_flops(&j->net, j->opts->strands == CLASS_STRANDS_BOTH);
    offset = j->reads->offset;
    return (offset[job_classify_end(j, task)] - offset[task * JOB_CLASSIFY_BLOCK]) *
           j->classes.n;
}

static void cancel(void *job)
{
    job_classify_t *j = job;

    __atomic_store_n(&j->cancel, 1, __ATOMIC_RELAXED); /* other batches are short */
}

static void destroy(void *job)
{
    job_classify_t *j = job;

    if (j == NULL)
        return;
    job_classify_release(j);
    if (j->log != NULL && reslog_n_done(j->log) == 0)
        reslog_remove(j->log); /* there is nothing to resume */
    reslog_close(j->log);
    class_naming_free(&j->naming);
    class_model_free(&j->model);
    predict_model_free(&j->net.model);
    seqset_destroy(j->reads);
    nbc_classes_free(&j->classes);
    free(j->class_of);
    buf_free(&j->text);
    free(j->part_path);
    free(j);
}

status_t job_classify_create(const class_opts_t *opts, void **out)
{
    job_classify_t *j = calloc(1, sizeof(*j));

    if (j == NULL || asprintf(&j->part_path, "%s.part", opts->common.output) < 0) {
        free(j);
        return log_nomem("the job");
    }
    j->opts = opts;
    j->started = time(NULL);
    *out = j;
    return ST_OK;
}

const job_ops_t job_classify_ops = {
    .name = "classify",
    .begin = begin,
    .cost = cost,
    .items = items,
    .open = job_classify_open,
    .is_done = job_classify_is_done,
    .prepare = job_classify_prepare,
    .release = job_classify_release,
    .batch_limit = job_classify_batch_limit,
    .depth = job_classify_depth,
    .submit = job_classify_submit,
    .collect = job_classify_collect,
    .pack = job_classify_pack,
    .cancel = cancel,
    .store = job_classify_store,
    .sync = job_classify_sync,
    .finish = job_classify_finish,
    .destroy = destroy,
};
