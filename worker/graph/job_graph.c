/*
 * job_graph.c - the job "graph": its beginning and its table of functions.
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "worker/bind.h"
#include "worker/graph/graph_choices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void outputs(const job_opts_t *opts, job_outputs_t *out)
{
    out->kind = &graph_result_kind;
    out->extra[0] = ((const graph_opts_t *)opts)->newick;
}

static status_t opened(job_t *job)
{
    const job_graph_t *j = (const job_graph_t *)job;
    const csr_t *g = &j->graph;
    const char *weights = g->weight != NULL  ? ", whole weights"
                          : g->value != NULL ? ", real weights"
                                             : "";

    log_info("%s: %s, %" PRId64 " nodes, %" PRId64 " arcs, %s%s", j->opts->input,
             j->info->name, g->n_nodes, g->n_arcs,
             g->is_symmetric ? "undirected" : "directed", weights);
    if (j->info->has_sources && j->n_sources == 1 && j->nodes.name != NULL)
        log_info("source: node %" PRId64 ", %s", g->id[j->sources[0]],
                 j->nodes.name[j->sources[0]]);
    else if (j->info->has_sources && j->n_sources == 1)
        log_info("source: node %" PRId64, g->id[j->sources[0]]);
    else if (j->info->has_sources)
        log_info("%" PRId64 " sources", j->n_sources);
    return ST_OK;
}

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    graph_opts_t *o = (graph_opts_t *)opts;
    status_t st = graph_child_prepare(o);

    *out = (job_reader_t){.is_needed = o->stream >= 0,
                          .answer = graph_child_answer,
                          .files = {o->input, o->from}};
    return st;
}

static void set_spec(job_graph_t *j)
{
    j->spec = graph_opts_spec(j->opts);
    j->spec.priority = j->priority;
    j->spec.x = j->x;
    j->spec.leaves = &j->leaves;
    j->spec.rank = j->start.rank;
    j->spec.joined = j->start.joined;
    j->spec.rows = j->start.rows;
    j->spec.n_rows = j->start.n_rows;
    if (j->spec.restart == GRAPH_RESTART_AUTO && j->start.rank != NULL &&
        j->start.n_known < j->graph.n_nodes / 2)
        j->spec.restart = GRAPH_RESTART_COLD;
}

/* Of a GPU's memory, what others may not have taken. */
static const double device_share = 0.9;

static void take_options(job_graph_t *j)
{
    graph_opts_t *o = (graph_opts_t *)j->base.opts;
    const binding_t *b = o->common.binding;

    if (o->device_bytes == 0 && b != NULL)
        o->device_bytes = device_is_gpu(&b->device)
                              ? (int64_t)(device_share * (double)b->device.memory_bytes)
                              : b->memory_bytes;
    j->opts = o;
    j->info = graph_info(o->algorithm);
    j->run = o->run;
    j->run.cancel = &j->base.cancel;
    atomic_init(&j->checked_over, -1);
}

/* Ranks that are remote devices have no parts. */
static status_t check_partition(const job_graph_t *j, const exchange_t *x)
{
    if (!x->has_no_gangs || j->opts->partition != GRAPH_PARTITION_ON)
        return ST_OK;
    if (x->rank == 0)
        log_error("--partition on: its ranks compute in lockstep, which remote devices "
                  "do not; leave it out, or run on the server, over ssh");
    return ST_EUSAGE;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_graph_t *j = (job_graph_t *)job;
    const binding_t *b = job->opts->binding;
    status_t st;

    take_options(j);
    if ((st = exchange_agree(x, b != NULL && !b->is_idle
                                    ? graph_choices_check_device(j->opts, &b->device)
                                    : ST_OK)) != ST_OK ||
        (st = check_partition(j, x)) != ST_OK || (st = job_graph_read(j, x)) != ST_OK)
        return st;
    set_spec(j);
    job->plan = (job_plan_t){.kind = j->is_divided ? JOB_GANG : JOB_FREE,
                             .checkpoint_bytes = job_graph_gang_checkpoint_bytes(j),
                             .n_tasks = job_graph_n_tasks(j),
                             .task_word = job_graph_task_word(j),
                             .item_word = "arcs"};
    return ST_OK;
}

static int64_t items(const job_t *job, int64_t task)
{
    const job_graph_t *j = (const job_graph_t *)job;
    graph_task_t t = job_graph_task(j, task);

    if (j->is_divided)
        return job_graph_block_arcs(j, task);
    return j->graph.n_arcs * (t.n_sources > 1 ? t.n_sources : 1);
}

static const char *check_record(job_t *job, int64_t task, int64_t version,
                                const buf_t *record)
{
    job_graph_t *j = (job_graph_t *)job;

    return j->is_divided ? job_graph_gang_check(j, task, version, record)
                         : job_graph_check_result(j, task, record);
}

static void free_job(job_t *job)
{
    job_graph_t *j = (job_graph_t *)job;

    texts_free(j->nodes.name);
    csr_free(&j->graph);
    part_graph_free(&j->part);
    free(j->digest);
    free(j->priority);
    free(j->x);
    free(j->sources);
    graph_start_free(&j->start);
    arrays_free(&leaf_counts_arrays, &j->leaves);
}

const job_ops_t job_graph_ops = {
    .name = "graph",
    .size = sizeof(job_graph_t),
    .settle = graph_opts_settle,
    .reader = reader,
    .outputs = outputs,
    .begin = begin,
    .cost = job_graph_cost,
    .items = items,
    .describe = job_graph_describe,
    .check_record = check_record,
    .opened = opened,
    .prepare = job_graph_prepare,
    .release = job_graph_release,
    .free_result = job_graph_free_result,
    .collect = job_graph_collect,
    .pack = job_graph_pack,
    .is_over = job_graph_is_over,
    .step = job_graph_step,
    .holds = job_graph_holds,
    .save = job_graph_save,
    .restore = job_graph_restore,
    .write_result = job_graph_write_result,
    .free = free_job,
};
