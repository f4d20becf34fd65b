/*
 * job_graph_compute.c - a worker's part of the job "graph".  A backend computes one task
 * at a time and returns when it is done, so that a batch is computed when it is
 * collected.
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/graph/engine/graph_engine.h"
#include "worker/graph/graph_choices.h"
#include "worker/graph/job_graph_gang.h"
#include "worker/graph/job_graph_tasks.h"

#include <stdlib.h>
#include <string.h>

/* Tasks of a batch, at most, and the memory of their results: small graphs have many
 * short tasks. */
enum { BATCH_TASKS_MAX = 256, BATCH_BYTES = 64 << 20 };

/* Arcs per second, before the first result. */
static const double cpu_guess = 50e6, gpu_guess = 5e9;

/* A CPU that takes over from a lost GPU has no kernel of the GPU's name. */
static void forget_lost_kernel(job_graph_t *j, const device_t *device)
{
    const kernel_list_t kernels = graph_kernels();

    if (j->run.backend != NULL &&
        !kernel_list_has(&kernels, j->run.backend, device->kind))
        j->run.backend = NULL;
}

/* @return whether a backend computes this on the context's device */
static bool is_taken(const graph_context_t *context)
{
    for (const graph_backend_t *const *b = graph_backends(); *b != NULL; b++)
        if ((*b)->kind == context->device->kind &&
            (context->run->backend == NULL ||
             strcmp((*b)->name, context->run->backend) == 0) &&
            (*b)->takes(context))
            return true;
    return false;
}

static status_t create_kernel(job_graph_t *j, const graph_context_t *context)
{
    const graph_backend_t *backend;
    status_t st = graph_engine_choose(context, &backend);

    if (st == ST_OK && (st = backend->create(context, &j->kernel)) == ST_OK)
        j->backend = backend;
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

/* A GPU that was not asked for, by name or by a choice, is left alone where it has no
 * kernel for the graph or too little memory. */
status_t job_graph_prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_graph_t *j = (job_graph_t *)job;
    graph_context_t context = {&job->device, job->pool, &j->graph, &j->spec, &j->run};
    bool may_change = job->device.kind != DEVICE_CPU &&
                      strcmp(j->opts->common.device, "auto") == 0 &&
                      !graph_choices_are_given(j->opts);
    double start = clock_now_s();
    status_t st = ST_EDEVICE;

    forget_lost_kernel(j, &job->device);
    job->depth = 1;
    job->max_batch = max_batch(j);
    *guess = job->device.kind == DEVICE_CPU ? cpu_guess : gpu_guess;
    if (j->is_divided) {
        st = job_graph_gang_prepare(j, kernel_name);
        j->copy_s = clock_now_s() - start;
        return st;
    }
    if (!may_change || is_taken(&context))
        st = create_kernel(j, &context);
    if (may_change && st == ST_EDEVICE) {
        log_info("%s of this graph is computed on the CPU, not on %s", j->info->name,
                 job->device.name);
        job->device = device_cpu();
        st = create_kernel(j, &context);
    }
    if (st != ST_OK)
        return st;
    j->copy_s = clock_now_s() - start;
    *kernel_name = j->backend->name;
    *guess = job->device.kind == DEVICE_CPU ? cpu_guess : gpu_guess;
    return ST_OK;
}

void job_graph_release(job_t *job)
{
    job_graph_t *j = (job_graph_t *)job;

    if (j->backend != NULL)
        j->backend->destroy(j->kernel);
    j->backend = NULL;
    j->kernel = NULL;
    for (int p = 0; p < JOB_PLACES; p++) {
        for (int k = 0; k < j->collected[p].capacity; k++)
            graph_result_free(&j->collected[p].results[k]);
        free(j->collected[p].results);
        j->collected[p] = (job_graph_collected_t){0};
    }
    job_graph_gang_release(j);
    free(j->tasks);
    j->tasks = NULL;
    j->n_submitted = j->tasks_capacity = 0;
}

status_t job_graph_submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    job_graph_t *j = (job_graph_t *)job;

    if (n > j->tasks_capacity) {
        int64_t *larger = realloc(j->tasks, (size_t)n * sizeof(*larger));

        if (larger == NULL)
            return log_nomem("tasks");
        j->tasks = larger;
        j->tasks_capacity = n;
    }
    memcpy(j->tasks, tasks, (size_t)n * sizeof(*tasks));
    j->n_submitted = *n_begun = n;
    return ST_OK;
}

/* Allocate results for n tasks. */
static status_t reserve(const job_graph_t *j, job_graph_collected_t *c, int n)
{
    graph_result_t *larger;

    if (n <= c->capacity)
        return ST_OK;
    larger = realloc(c->results, (size_t)n * sizeof(*larger));
    if (larger == NULL)
        return log_nomem("results of a graph");
    c->results = larger;
    while (c->capacity < n) {
        status_t st =
            graph_result_create(j->info, j->graph.n_nodes, &larger[c->capacity]);

        if (st != ST_OK)
            return st;
        c->capacity++;
    }
    return ST_OK;
}

/* Compute a task, whose result may hold an earlier one. */
static status_t compute(job_graph_t *j, int64_t number, graph_result_t *r)
{
    graph_task_t task = job_graph_task(j, number);
    status_t st;

    free(r->arcs);
    r->arcs = NULL;
    r->n_arcs = r->n_iterations = r->n_visited = 0;
    r->seconds = 0;
    r->decisions.len = 0;
    st = j->backend->compute(j->kernel, &task, r);
    return st == ST_OK ? job_graph_log_decisions(j, number, &r->decisions) : st;
}

status_t job_graph_collect(job_t *job, int place)
{
    job_graph_t *j = (job_graph_t *)job;
    job_graph_collected_t *c = &j->collected[place];
    status_t st = reserve(j, c, j->n_submitted);

    for (int k = 0; st == ST_OK && k < j->n_submitted; k++) {
        if (job_is_cancelled(job))
            break;
        st = compute(j, j->tasks[k], &c->results[k]);
    }
    return st;
}

status_t job_graph_pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const job_graph_t *j = (const job_graph_t *)job;
    job_graph_effort_t effort = {.copy_s = j->copy_s};

    (void)thread;
    return job_graph_record_pack(j->info, j->graph.n_nodes,
                                 &j->collected[place].results[k], &effort, out);
}
