/*
 * job_graph.c - the job "graph": its beginning and its table of functions.
 */
#include "worker/graph/job_graph.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "worker/graph/job_graph_compute.h"
#include "worker/graph/job_graph_gang.h"
#include "worker/graph/job_graph_input.h"
#include "worker/graph/job_graph_store.h"
#include "worker/graph/job_graph_tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_spec(job_graph_t *j)
{
    j->spec = graph_opts_spec(j->opts);
    j->spec.priority = j->priority;
    j->spec.x = j->x;
}

static status_t begin(void *job, exchange_t *x, job_plan_t *out)
{
    job_graph_t *j = job;
    bool is_owner = x->rank == 0; /* of files, and of messages about the job */
    status_t st;

    if ((st = exchange_agree(x, is_owner ? job_graph_check_output(j) : ST_OK)) != ST_OK ||
        (st = job_graph_read(j, x)) != ST_OK)
        return st;
    set_spec(j);
    *out = (job_plan_t){.kind = j->is_divided ? JOB_GANG : JOB_FREE,
                        .checkpoint_s = job_graph_gang_checkpoint_s(j),
                        .n_tasks = job_graph_n_tasks(j),
                        .task_word = job_graph_task_word(j),
                        .item_word = "arcs",
                        .kept_in = j->part_path};
    return ST_OK;
}

static int64_t items(const void *job, int64_t task)
{
    const job_graph_t *j = job;
    graph_task_t t = job_graph_task(j, task);

    if (j->is_divided)
        return job_graph_block_arcs(j, task);
    return j->graph.n_arcs * (t.n_sources > 1 ? t.n_sources : 1);
}

static void destroy(void *job)
{
    job_graph_t *j = job;

    if (j == NULL)
        return;
    job_graph_release(j);
    if (j->log != NULL && reslog_n_done(j->log) == 0)
        reslog_remove(j->log); /* there is nothing to resume */
    reslog_close(j->log);
    texts_free(j->names);
    csr_free(&j->graph);
    part_graph_free(&j->part);
    free(j->digest);
    free(j->priority);
    free(j->x);
    free(j->sources);
    buf_free(&j->text);
    free(j->part_path);
    free(j);
}

status_t job_graph_create(const graph_opts_t *opts, void **out)
{
    job_graph_t *j = calloc(1, sizeof(*j));

    if (j == NULL || asprintf(&j->part_path, "%s.part", opts->common.output) < 0) {
        free(j);
        return log_nomem("the job");
    }
    j->opts = opts;
    j->info = graph_info(opts->algorithm);
    j->run = opts->run;
    j->run.cancel = &j->cancel;
    j->started = time(NULL);
    *out = j;
    return ST_OK;
}

const job_ops_t job_graph_ops = {
    .name = "graph",
    .begin = begin,
    .cost = job_graph_cost,
    .items = items,
    .open = job_graph_open,
    .is_done = job_graph_is_done,
    .prepare = job_graph_prepare,
    .release = job_graph_release,
    .batch_limit = job_graph_batch_limit,
    .depth = job_graph_depth,
    .submit = job_graph_submit,
    .collect = job_graph_collect,
    .pack = job_graph_pack,
    .is_over = job_graph_is_over,
    .step = job_graph_step,
    .holds = job_graph_holds,
    .save = job_graph_save,
    .checkpoint = job_graph_checkpoint,
    .load = job_graph_load,
    .restore = job_graph_restore,
    .cancel = job_graph_cancel,
    .store = job_graph_store,
    .sync = job_graph_sync,
    .finish = job_graph_finish,
    .destroy = destroy,
};
