/*
 * job_predict.c - the job "cnn predict": its beginning and its table of functions.
 */
#include "worker/cnn/predict/job_predict.h"

#include "io/base/logmsg.h"
#include "worker/cnn/predict/job_predict_compute.h"
#include "worker/cnn/predict/job_predict_input.h"
#include "worker/cnn/predict/job_predict_store.h"

#include <stdio.h>
#include <stdlib.h>

static status_t begin(void *job, exchange_t *x, job_plan_t *out)
{
    job_predict_t *j = job;
    status_t st = exchange_agree(x, x->rank == 0 ? job_predict_check_output(j) : ST_OK);

    if (st != ST_OK || (st = job_predict_read(j, x)) != ST_OK)
        return st;
    *out = (job_plan_t){.kind = JOB_FREE,
                        .n_tasks = job_predict_n_tasks(j),
                        .task_word = "batches",
                        .item_word = "images",
                        .cost_word = "operations",
                        .rate_word = "FLOPS",
                        .kept_in = j->part_path};
    return ST_OK;
}

/* The last batch is as large as the others, though not all of it are images. */
static int64_t cost(const void *job, int64_t task)
{
    const job_predict_t *j = job;
    double flops = 0;

    (void)task;
    for (int s = 0; s < j->model.program->n_forward; s++)
        flops += j->model.program->steps[s].flops;
    return (int64_t)flops;
}

static int64_t items(const void *job, int64_t task)
{
    return job_predict_n_images(job, task);
}

static void cancel(void *job)
{
    job_predict_t *j = job;

    j->cancel = 1;
}

static void destroy(void *job)
{
    job_predict_t *j = job;

    if (j == NULL)
        return;
    job_predict_release(j);
    if (j->log != NULL && reslog_n_done(j->log) == 0)
        reslog_remove(j->log); /* there is nothing to resume */
    reslog_close(j->log);
    predict_model_free(&j->model);
    image_set_free(&j->images);
    buf_free(&j->text);
    free(j->part_path);
    free(j);
}

status_t job_predict_create(const predict_opts_t *opts, void **out)
{
    job_predict_t *j = calloc(1, sizeof(*j));

    if (j == NULL || asprintf(&j->part_path, "%s.part", opts->common.output) < 0) {
        free(j);
        return log_nomem("the job");
    }
    j->opts = opts;
    *out = j;
    return ST_OK;
}

const job_ops_t job_predict_ops = {
    .name = "cnn predict",
    .begin = begin,
    .cost = cost,
    .items = items,
    .open = job_predict_open,
    .is_done = job_predict_is_done,
    .prepare = job_predict_prepare,
    .release = job_predict_release,
    .batch_limit = job_predict_batch_limit,
    .depth = job_predict_depth,
    .submit = job_predict_submit,
    .collect = job_predict_collect,
    .pack = job_predict_pack,
    .cancel = cancel,
    .store = job_predict_store,
    .sync = job_predict_sync,
    .finish = job_predict_finish,
    .destroy = destroy,
};
