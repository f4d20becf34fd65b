/*
 * job_build.c - the job "automata build": its beginning, its batches, and its table of
 * functions.
 */
#include "worker/automata/job_build_state.h"

#include "io/automata/pattern_file.h"
#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/base/plural.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static status_t read_patterns(job_build_t *j)
{
    status_t st = pattern_file_read(j->opts->input, j->opts->skip_unsupported, &j->nfa,
                                    &j->n_skipped);

    return st == ST_OK ? nfa_list_patterns(&j->nfa, &j->pattern_of) : st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_build_t *j = (job_build_t *)job;
    status_t st;

    j->opts = (const build_opts_t *)job->opts;
    st = exchange_agree(x, x->rank == 0 ? read_patterns(j) : ST_OK);
    if (st != ST_OK || (st = exchange_object(x, &nfa_arrays, &j->nfa)) != ST_OK)
        return st;
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = dfa_group_n_blocks(&j->nfa),
                             .task_word = "blocks",
                             .item_word = "patterns"};
    return ST_OK;
}

static int64_t items(const job_t *job, int64_t task)
{
    int64_t n;

    (void)dfa_group_patterns(&((const job_build_t *)job)->nfa, task, &n);
    return n;
}

static int64_t cost(const job_t *job, int64_t task)
{
    const job_build_t *j = (const job_build_t *)job;
    int64_t n, first = dfa_group_patterns(&j->nfa, task, &n);

    return j->nfa.first[first + n] - j->nfa.first[first];
}

static status_t opened(job_t *job)
{
    const job_build_t *j = (const job_build_t *)job;

    log_info("%s: %" PRId64 " pattern%s with %" PRId64 " position%s, %" PRId64
             " left out",
             j->opts->input, j->nfa.n_patterns, plural(j->nfa.n_patterns),
             j->nfa.n_positions, plural(j->nfa.n_positions), j->n_skipped);
    return ST_OK;
}

/* ---- batches ---- */

/* Automata of fewer states are built by one thread each. */
enum { SMALL_STATES = 1 << 14 };

/* Where there are blocks for all threads of a CPU, or automata are small, each thread
 * builds groups of its own; else all help with one group after the other. */
static bool is_by_blocks(const job_build_t *j, int64_t n_blocks)
{
    return !device_is_gpu(&j->base.device) &&
           (n_blocks >= pool_n_threads(j->base.pool) ||
            j->opts->limits.max_states <= SMALL_STATES);
}

static status_t check_memory(const job_build_t *j)
{
    const int64_t n_blocks = j->base.plan.n_tasks,
                  n_threads = pool_n_threads(j->base.pool);
    const int64_t n = !is_by_blocks(j, n_blocks) ? 1
                      : n_blocks < n_threads     ? n_blocks
                                                 : n_threads;

    return memory_limit_check(dfa_limits_bytes(&j->opts->limits) * (double)n,
                              n > 1 ? "give a lower --budget or --memory, or fewer "
                                      "--threads"
                                    : "give a lower --budget or --memory",
                              "%" PRId64 " automat%s of %" PRId64 " states at a time", n,
                              n == 1 ? "on" : "a", j->opts->limits.max_states);
}

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_build_t *j = (job_build_t *)job;
    const subset_context_t context = {&job->device, job->pool, j->opts->allocator};
    const bool may_change = strcmp(job->opts->device, "auto") == 0;
    const backend_request_t request = {.name = backend_name_on(&subset_table,
                                                               job->opts->kernel,
                                                               job->device.kind),
                                       .device = &job->device,
                                       .fallback = may_change ? &job->device : NULL,
                                       .what = "automata"};
    const backend_t *row;
    status_t st =
        backend_open(&subset_table, &request, &context, &row, &j->builder.state);

    if (st != ST_OK)
        return st;
    j->builder.backend = (const subset_backend_t *)row;
    if ((st = check_memory(j)) != ST_OK)
        return st;
    j->builder.pool = job->pool;
    j->builder.cancel = &job->cancel;
    job->depth = 1;
    job->max_batch = JOB_BUILD_BATCH;
    job->result_bytes = sizeof(dfa_set_t);
    *kernel_name = row->name;
    *guess = backend_rate(row, job->pool);
    return ST_OK;
}

static void release(job_t *job)
{
    job_build_t *j = (job_build_t *)job;

    if (j->builder.backend != NULL)
        j->builder.backend->destroy(j->builder.state);
    j->builder = (dfa_builder_t){.backend = NULL};
}

static void free_result(void *result)
{
    dfa_set_free(result);
}

typedef struct {
    job_build_t *j;
    const dfa_builder_t *builder;
    int place;
    int failed; /* a status_t; any of those that failed */
} run_t;

static void group_task(void *ctx, int64_t k, int thread)
{
    run_t *r = ctx;
    job_build_t *j = r->j;
    dfa_set_t *found = job_result(&j->base, r->place, (int)k);
    int64_t n,
        first = dfa_group_patterns(&j->nfa, j->base.collected[r->place].tasks[k], &n);
    status_t st;

    (void)thread;
    if (job_is_cancelled(&j->base))
        return;
    dfa_set_free(found);
    st = dfa_group_block(&j->nfa, first, n, &j->opts->limits, r->builder, found);
    if (st != ST_OK)
        __atomic_store_n(&r->failed, (int)st, __ATOMIC_RELAXED);
}

static status_t collect(job_t *job, int place)
{
    job_build_t *j = (job_build_t *)job;
    const int n = job->collected[place].n;
    const bool by_blocks = is_by_blocks(j, n);
    const dfa_builder_t serial = {.backend = dfa_builder_serial.backend,
                                  .cancel = &job->cancel};
    run_t run = {j, by_blocks ? &serial : &j->builder, place, ST_OK};

    pool_run(by_blocks ? job->pool : NULL, n, group_task, &run);
    return (status_t)run.failed;
}

static status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    (void)thread;
    return job_build_pack(job_result(job, place, k), out);
}

static void free_job(job_t *job)
{
    job_build_t *j = (job_build_t *)job;

    nfa_free(&j->nfa);
    free(j->pattern_of);
}

const job_ops_t job_build_ops = {
    .name = "automata build",
    .size = sizeof(job_build_t),
    .settle = build_opts_settle,
    .outputs = job_build_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_build_describe,
    .check_record = job_build_check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .free_result = free_result,
    .collect = collect,
    .pack = pack,
    .write_result = job_build_write_result,
    .free = free_job,
};
