/*
 * job_program_compute.c - a worker's part of the job "graph run": the choice of what runs
 * the program, and the run.
 */
#include "worker/program/job_program_state.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Compiling C takes as long as interpreting some million arcs, of several iterations.
 * Compiling for a GPU takes 0.3 s longer than that, which is what it saves where threads
 * have this many arcs each (bench/results/h200-graph-programs.txt). */
enum { COMPILED_ARCS = 100000, GPU_ARCS_PER_THREAD = 2000000 };

/* Arcs per second, roughly. */
static const double interpreter_rate = 1e7, core_rate = 4e7, gpu_rate = 2e9;

static status_t log_kernels(const job_program_t *j)
{
    buf_t text = {0};
    const status_t st = rg_gpu_describe(&j->program, &text);

    if (st == ST_OK)
        log_verbose("%s", (const char *)text.data);
    buf_free(&text);
    return st;
}

/* Compile for a GPU that is wanted, or the CPU takes its place. */
static status_t compile_for_gpu(job_program_t *j)
{
    const bool is_auto = strcmp(j->base.opts->device, "auto") == 0;
    const double begin = clock_now_s();
    status_t st = ST_EDEVICE;

    /* each new node is a change of arrays */
    if (!is_auto ||
        (j->graph.n_arcs >= (int64_t)GPU_ARCS_PER_THREAD * pool_n_threads(j->base.pool) &&
         j->program.used[RG_CHANGES].line == 0))
        st = rg_gpu_create(&j->program, &j->graph, &j->base.device, is_auto, &j->gpu);
    j->compile_s += clock_now_s() - begin;
    if (st == ST_OK)
        return log_kernels(j);
    if (st != ST_EDEVICE || !is_auto)
        return st;
    j->base.device = device_cpu();
    return ST_OK;
}

/* Compile the program if that is chosen; where nobody has chosen, only -v says why that
 * failed. */
static status_t compile(job_program_t *j)
{
    const char *kernel = j->base.opts->kernel;
    const bool is_auto = strcmp(kernel, "c") != 0;
    const double begin = clock_now_s();
    status_t st;

    if (strcmp(kernel, "interpreter") == 0 ||
        (is_auto && j->graph.n_arcs < COMPILED_ARCS))
        return ST_OK;
    st = rg_native_create(&j->program, is_auto, &j->native);
    j->compile_s += clock_now_s() - begin;
    return st == ST_EDEVICE && is_auto ? ST_OK : st;
}

status_t job_program_prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_program_t *j = (job_program_t *)job;
    status_t st = device_is_gpu(&job->device) ? compile_for_gpu(j) : ST_OK;

    if (st == ST_OK && j->gpu == NULL)
        st = compile(j);
    if (st != ST_OK)
        return st;
    job->depth = 1;
    job->max_batch = 1;
    job->result_bytes = sizeof(job_program_found_t);
    *kernel_name = j->gpu != NULL ? "cuda" : j->native != NULL ? "c" : "interpreter";
    *guess = j->gpu != NULL      ? gpu_rate
             : j->native != NULL ? core_rate * pool_n_threads(job->pool)
                                 : interpreter_rate;
    return ST_OK;
}

void job_program_release(job_t *job)
{
    job_program_t *j = (job_program_t *)job;

    rg_native_destroy(j->native);
    rg_gpu_destroy(j->gpu);
    j->native = NULL;
    j->gpu = NULL;
}

void job_program_free_result(void *found)
{
    rg_result_free(&((job_program_found_t *)found)->result);
}

static status_t run(job_program_t *j, const rg_input_t *input, rg_result_t *out)
{
    if (j->gpu != NULL)
        return rg_gpu_run(j->gpu, input, out);
    return j->native != NULL ? rg_native_run(j->native, input, j->base.pool, out)
                             : rg_run(&j->program, input, out);
}

const csr_t *job_program_graph_of(const job_program_t *j, const rg_result_t *r)
{
    return r->graph.first != NULL ? &r->graph : &j->graph;
}

/* What no result may hold, the program must not leave. */
static status_t check_finite(const job_program_t *j, const rg_result_t *r)
{
    const csr_t *g = job_program_graph_of(j, r);

    for (int c = 0; c < r->n_columns; c++) {
        const rg_symbol_t *s = r->column[c].symbol;
        const double *x = r->column[c].values;

        for (int64_t u = 0; s->type == RG_REAL && u < g->n_nodes; u++)
            if (!isfinite(x[u]))
                return rg_refuse(&j->program, s->at,
                                 "%s of node %" PRId64 " is %g, which no result may "
                                 "hold; set it to a finite number",
                                 s->name, g->id[u], x[u]);
    }
    return ST_OK;
}

status_t job_program_collect(job_t *job, int place)
{
    job_program_t *j = (job_program_t *)job;
    const rg_input_t input = {.graph = &j->graph,
                              .param = j->params.value,
                              .is_given = j->params.is_given,
                              .max_iterations = j->opts->graph.max_iterations,
                              .max_items = INT32_MAX};
    job_program_found_t *found = job_result(job, place, 0);
    rg_result_t *r = &found->result;
    status_t st;

    if (job_is_cancelled(job))
        return ST_OK;
    rg_result_free(r);
    if ((st = run(j, &input, r)) == ST_OK)
        st = check_finite(j, r);
    if ((found->has_failed = st == ST_EINPUT))
        rg_result_free(r);
    return st == ST_EINPUT ? ST_OK : st;
}
