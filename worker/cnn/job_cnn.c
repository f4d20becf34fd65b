/*
 * job_cnn.c - the job "cnn": its beginning and its table of functions.
 */
#include "worker/cnn/job_cnn.h"

#include "worker/cnn/cnn_child.h"
#include "worker/cnn/job_cnn_state.h"

#include <stdlib.h>

static status_t settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    return cnn_opts_settle((cnn_opts_t *)opts, why);
}

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    cnn_opts_t *o = (cnn_opts_t *)opts;
    status_t st = cnn_child_prepare(o);

    *out = (job_reader_t){.is_needed = o->images.stream >= 0 || o->test.stream >= 0,
                          .answer = cnn_child_answer,
                          .files = {o->images.what.path, opts->output}};
    return st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_cnn_t *j = (job_cnn_t *)job;
    status_t st;

    j->opts = (const cnn_opts_t *)job->opts;
    if ((st = job_cnn_read(j, x)) != ST_OK)
        return st;
    job->plan = (job_plan_t){
        .kind = JOB_GANG,
        .n_tasks = job_cnn_n_tasks(j),
        .task_word = "tensors",
        .item_word = "images",
        .cost_word = "operations",
        .rate_word = "FLOPS",
        .n_steps = (j->n_iterations + JOB_CNN_ITERATIONS - 1) / JOB_CNN_ITERATIONS,
        .checkpoint_bytes = job_cnn_checkpoint_bytes(j),
    };
    return ST_OK;
}

/* Each rank computes its part of each batch; task 0 stands for all of that. */
static int64_t cost(const job_t *job, int64_t task)
{
    const job_cnn_t *j = (const job_cnn_t *)job;
    double flops = 0;

    for (int s = 0; task == 0 && s < j->training->n_steps; s++)
        flops += j->training->steps[s].flops;
    return (int64_t)(flops * JOB_CNN_ITERATIONS * j->n_ranks);
}

static int64_t items(const job_t *job, int64_t task)
{
    const job_cnn_t *j = (const job_cnn_t *)job;

    return task == 0 ? j->n_iterations * j->net->solver.batch : 0;
}

static void free_job(job_t *job)
{
    job_cnn_t *j = (job_cnn_t *)job;

    cnn_program_destroy(j->training);
    cnn_program_destroy(j->inference);
    cnn_net_destroy(j->net);
    buf_free(&j->net_text);
    image_set_free(&j->images);
    image_set_free(&j->test);
    free(j->kept);
    buf_free(&j->choices);
    buf_free(&j->points);
    buf_free(&j->tests);
}

const job_ops_t job_cnn_ops = {
    .name = "cnn",
    .size = sizeof(job_cnn_t),
    .settle = settle,
    .reader = reader,
    .outputs = job_cnn_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_cnn_describe,
    .check_record = job_cnn_check_record,
    .opened = job_cnn_opened,
    .prepare = job_cnn_prepare,
    .release = job_cnn_release,
    .is_over = job_cnn_is_over,
    .step = job_cnn_step,
    .holds = job_cnn_holds,
    .save = job_cnn_save,
    .restore = job_cnn_restore,
    .write_result = job_cnn_write_result,
    .free = free_job,
};
