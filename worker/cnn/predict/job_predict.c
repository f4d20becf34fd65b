/*
 * job_predict.c - the job "cnn predict": its beginning and its table of functions.
 */
#include "worker/cnn/predict/predict_opts.h"

#include "kernels/registry/backends.h"
#include "worker/cnn/predict/job_predict_state.h"
#include "worker/cnn/predict/predict_model.h"

/* ---- options ---- */

predict_opts_t predict_opts_defaults(void)
{
    return (predict_opts_t){.images = {.stream = -1},
                            .top = 1,
                            .seed = 1,
                            .stream = -1,
                            .common = job_opts_defaults()};
}

status_t predict_opts_settle(predict_opts_t *o, char why[JOB_OPTS_WHY_BYTES])
{
    status_t st = job_opts_check_output(&o->common, "FILE", false, why);

    return st == ST_OK ? job_opts_settle_device(&o->common.device, o->common.kernel,
                                                &cnn_table, why)
                       : st;
}

static status_t settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    return predict_opts_settle((predict_opts_t *)opts, why);
}

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    predict_opts_t *o = (predict_opts_t *)opts;
    status_t st = predict_child_prepare(o);

    *out = (job_reader_t){.is_needed = true,
                          .answer = predict_child_answer,
                          .files = {o->model, o->images.what.path}};
    return st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_predict_t *j = (job_predict_t *)job;
    status_t st;

    j->opts = (const predict_opts_t *)job->opts;
    if ((st = job_predict_read(j, x)) != ST_OK)
        return st;
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = job_predict_n_tasks(j),
                             .task_word = "batches",
                             .item_word = "images",
                             .cost_word = "operations",
                             .rate_word = "FLOPS"};
    return ST_OK;
}

/* The last batch is as large as the others, though not all of it are images. */
static int64_t cost(const job_t *job, int64_t task)
{
    const job_predict_t *j = (const job_predict_t *)job;
    double flops = 0;

    (void)task;
    for (int s = 0; s < j->model.program->n_forward; s++)
        flops += j->model.program->steps[s].flops;
    return (int64_t)flops;
}

static int64_t items(const job_t *job, int64_t task)
{
    return job_predict_n_images((const job_predict_t *)job, task);
}

static void free_job(job_t *job)
{
    job_predict_t *j = (job_predict_t *)job;

    predict_model_free(&j->model);
    image_set_free(&j->images);
}

const job_ops_t job_predict_ops = {
    .name = "cnn predict",
    .size = sizeof(job_predict_t),
    .settle = settle,
    .reader = reader,
    .outputs = job_predict_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_predict_describe,
    .check_record = job_predict_check_record,
    .opened = job_predict_opened,
    .prepare = job_predict_prepare,
    .release = job_predict_release,
    .submit = job_predict_submit,
    .collect = job_predict_collect,
    .pack = job_predict_pack,
    .write_result = job_predict_write_result,
    .free = free_job,
};
