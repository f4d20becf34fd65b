/*
 * job_graph_compute.c - a worker's part of the job "graph".  A backend computes one task
 * at a time and returns when it is done, so that a batch is computed when it is
 * collected.
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"
#include "worker/graph/graph_blocks.h"
#include "worker/graph/graph_choices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tasks of a batch, at most, and the memory of their results: small graphs have many
 * short tasks. */
enum { BATCH_TASKS_MAX = 256, BATCH_BYTES = 64 << 20 };

/* A GPU that was not asked for, by name or by a choice, is left alone where it has no
 * kernel for the graph or too little memory. */
static status_t open_kernel(job_graph_t *j)
{
    const bool may_change =
        strcmp(j->opts->common.device, "auto") == 0 && !graph_choices_are_given(j->opts);
    const graph_context_t context = {&j->base.device, j->base.pool, &j->graph, &j->spec,
                                     &j->run};
    const backend_t *row;
    char what[64];
    status_t st;

    snprintf(what, sizeof(what), "%s of such graphs", j->info->name);
    st =
        backend_open(&graph_table,
                     &(backend_request_t){.name = j->run.backend,
                                          .device = &j->base.device,
                                          .fallback = may_change ? &j->base.device : NULL,
                                          .what = what},
                     &context, &row, &j->kernel);
    if (st == ST_OK)
        j->backend = (const graph_backend_t *)row;
    return st;
}

static int max_batch(const job_graph_t *j)
{
    int64_t bytes = 1, n;

    for (int i = 0; i < j->info->n_columns; i++)
        bytes += j->graph.n_nodes * graph_type_bytes(j->info->columns[i].type);
    n = BATCH_BYTES / bytes;
    return n < 1 ? 1 : n > BATCH_TASKS_MAX ? BATCH_TASKS_MAX : (int)n;
}

status_t job_graph_prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_graph_t *j = (job_graph_t *)job;
    const double start = clock_now_s();
    const backend_t *row;
    status_t st;

    j->run.backend = backend_name_on(&graph_table, j->run.backend, job->device.kind);
    job->depth = 1;
    job->max_batch = max_batch(j);
    job->result_bytes = sizeof(graph_result_t);
    if ((st = j->is_divided ? job_graph_gang_prepare(j) : open_kernel(j)) != ST_OK)
        return st;
    row = j->is_divided ? &j->gang.backend->base : &j->backend->base;
    j->copy_s = clock_now_s() - start;
    *kernel_name = row->name;
    *guess = backend_rate(row, job->pool);
    return ST_OK;
}

void job_graph_release(job_t *job)
{
    job_graph_t *j = (job_graph_t *)job;

    if (j->backend != NULL)
        j->backend->destroy(j->kernel);
    j->backend = NULL;
    j->kernel = NULL;
    job_graph_gang_release(j);
}

void job_graph_free_result(void *result)
{
    graph_result_free(result);
}

/* Append what became of an earlier graph's components. */
static status_t note_components(const job_graph_t *j, buf_t *out)
{
    if (j->spec.joined == NULL)
        return buf_printf(out, "restart cold: changed components have too many arcs\n");
    return buf_printf(out, "restart set: the arcs of %" PRId64 " of %" PRId64 " nodes\n",
                      j->spec.n_rows, j->graph.n_nodes);
}

/* Compute a task, whose result may hold an earlier one. */
static status_t compute(job_graph_t *j, int64_t number, graph_result_t *r)
{
    const graph_task_t task = job_graph_task(j, number);
    status_t st;

    if (r->column[0] == NULL && j->info->n_columns > 0 &&
        (st = graph_result_create(j->info, j->graph.n_nodes, r)) != ST_OK)
        return st;
    free(r->arcs);
    r->arcs = NULL;
    r->n_arcs = r->n_iterations = r->n_visited = 0;
    r->seconds = 0;
    r->decisions.len = 0;
    st = j->info->is_summed
             ? graph_block_compute(j->backend, j->kernel, &j->graph, &task, r)
             : j->backend->compute(j->kernel, &task, r);
    if (st == ST_OK && j->opts->from != NULL && j->opts->algorithm == GRAPH_COMPONENTS)
        st = note_components(j, &r->decisions);
    return st == ST_OK ? job_graph_log_decisions(j, number, &r->decisions) : st;
}

status_t job_graph_collect(job_t *job, int place)
{
    job_graph_t *j = (job_graph_t *)job;
    const job_batch_t *b = &job->collected[place];
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < b->n && !job_is_cancelled(job); k++)
        st = compute(j, b->tasks[k], job_result(job, place, k));
    return st;
}

status_t job_graph_pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const job_graph_t *j = (const job_graph_t *)job;
    job_graph_effort_t effort = {.copy_s = j->copy_s};
    const graph_task_t task = job_graph_task(j, job->collected[place].tasks[k]);

    (void)thread;
    return job_graph_record_pack(j->info, j->graph.n_nodes, &task,
                                 job_result(job, place, k), &effort, out);
}
