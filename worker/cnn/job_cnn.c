/*
 * job_cnn.c - the job "cnn": its beginning and its table of functions.
 */
#include "worker/cnn/job_cnn.h"

#include "io/base/logmsg.h"
#include "worker/cnn/job_cnn_input.h"
#include "worker/cnn/job_cnn_store.h"
#include "worker/cnn/job_cnn_train.h"

#include <stdio.h>
#include <stdlib.h>

static status_t begin(void *job, exchange_t *x, job_plan_t *out)
{
    job_cnn_t *j = job;
    status_t st = exchange_agree(x, x->rank == 0 ? job_cnn_check_output(j) : ST_OK);

    if (st != ST_OK || (st = job_cnn_read(j, x)) != ST_OK)
        return st;
    *out = (job_plan_t){
        .kind = JOB_GANG,
        .n_tasks = job_cnn_n_tasks(j),
        .task_word = "tensors",
        .item_word = "images",
        .cost_word = "operations",
        .rate_word = "FLOPS",
        .kept_in = j->part_path,
        .n_steps = (j->n_iterations + JOB_CNN_ITERATIONS - 1) / JOB_CNN_ITERATIONS,
        .checkpoint_s = job_cnn_checkpoint_s(j),
    };
    return ST_OK;
}

/* Each rank computes its part of each batch; task 0 stands for all of that. */
static int64_t cost(const void *job, int64_t task)
{
    const job_cnn_t *j = job;
    double flops = 0;

    for (int s = 0; task == 0 && s < j->training->n_steps; s++)
        flops += j->training->steps[s].flops;
    return (int64_t)(flops * JOB_CNN_ITERATIONS * j->n_ranks);
}

static int64_t items(const void *job, int64_t task)
{
    const job_cnn_t *j = job;

    return task == 0 ? j->n_iterations * j->net->solver.batch : 0;
}

static void destroy(void *job)
{
    job_cnn_t *j = job;

    if (j == NULL)
        return;
    job_cnn_release(j);
    if (j->log != NULL && reslog_n_done(j->log) == 0)
        reslog_remove(j->log); /* there is nothing to resume */
    reslog_close(j->log);
    cnn_program_destroy(j->training);
    cnn_program_destroy(j->inference);
    cnn_net_destroy(j->net);
    buf_free(&j->net_text);
    image_set_free(&j->images);
    image_set_free(&j->test);
    free(j->kept);
    buf_free(&j->text);
    buf_free(&j->choices);
    buf_free(&j->points);
    buf_free(&j->tests);
    free(j->part_path);
    free(j);
}

status_t job_cnn_create(const cnn_opts_t *opts, void **out)
{
    job_cnn_t *j = calloc(1, sizeof(*j));

    if (j == NULL || asprintf(&j->part_path, "%s.part", opts->common.output) < 0) {
        free(j);
        return log_nomem("the job");
    }
    j->opts = opts;
    j->started = time(NULL);
    *out = j;
    return ST_OK;
}

const job_ops_t job_cnn_ops = {
    .name = "cnn",
    .begin = begin,
    .cost = cost,
    .items = items,
    .open = job_cnn_open,
    .prepare = job_cnn_prepare,
    .release = job_cnn_release,
    .is_over = job_cnn_is_over,
    .step = job_cnn_step,
    .holds = job_cnn_holds,
    .save = job_cnn_save,
    .checkpoint = job_cnn_checkpoint,
    .load = job_cnn_load,
    .restore = job_cnn_restore,
    .cancel = job_cnn_cancel,
    .store = job_cnn_store,
    .sync = job_cnn_sync,
    .finish = job_cnn_finish,
    .destroy = destroy,
};
