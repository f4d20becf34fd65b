/*
 * job.c - what every job does: its beginning on all ranks, its device, its end.
 */
#include "worker/job.h"

#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "worker/job_output.h"
#include "worker/job_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* @return below 0: there is no memory */
static int make_part_path(const job_opts_t *opts, char **out)
{
    const char *folder = getenv("TMPDIR");

    return job_opts_is_stdout(opts)
               ? asprintf(out, "%s/ribogrid-%ld" JOB_LOG_SUFFIX,
                          folder != NULL && *folder != '\0' ? folder : "/tmp",
                          (long)getpid())
               : asprintf(out, "%s" JOB_LOG_SUFFIX,
                          opts->output != NULL ? opts->output : "");
}

status_t job_create(const job_ops_t *ops, job_opts_t *opts, job_t **out)
{
    job_t *job = calloc(1, ops->size);

    if (job == NULL || make_part_path(opts, &job->part_path) < 0) {
        free(job);
        return log_nomem("the job");
    }
    job->ops = ops;
    job->opts = opts;
    job->started = time(NULL);
    *out = job;
    return ST_OK;
}

void job_destroy(job_t *job)
{
    if (job == NULL)
        return;
    job_release(job);
    job_shards_end(job);
    reslog_close(job->log);
    job->ops->free(job);
    buf_free(&job->text);
    buf_free(&job->log_lines);
    free(job->part_path);
    free(job);
}

/* @param n_ranks  that compute */
static status_t check_ranks(const job_opts_t *o, int n_ranks)
{
    const bool is_redundancy = o->redundancy > n_ranks;

    if (!is_redundancy && o->log_shards <= n_ranks)
        return ST_OK;
    log_error("--%s %" PRId64 ": there %s only %d rank%s; start more, or give %s",
              is_redundancy ? "redundancy" : "log-shards",
              is_redundancy ? o->redundancy : o->log_shards, n_ranks == 1 ? "is" : "are",
              n_ranks, plural(n_ranks),
              is_redundancy ? "--recompute" : "a smaller number");
    return ST_EUSAGE;
}

/* On rank 0, which owns the files. */
static status_t check(const job_t *job, const exchange_t *x)
{
    const binding_t *b = job->opts->binding;
    const int n_idle = b != NULL && b->is_idle;
    status_t st = x->rank == 0 ? check_ranks(job->opts, x->n_ranks - n_idle) : ST_OK;

    return st == ST_OK && x->rank == 0 && job->opts->output != NULL
               ? job_output_check(job)
               : st;
}

/* Checkpoints write `checkpoint_rate` bytes per second to the log.  They are no more
 * frequent however little there is to store, and no more than a minute of work is lost
 * however much. */
static const double checkpoint_rate = 4e6, min_checkpoint_s = 0.2, max_checkpoint_s = 60;

static double checkpoint_s(const job_plan_t *plan)
{
    const double s = plan->checkpoint_bytes / checkpoint_rate;

    return s < min_checkpoint_s   ? min_checkpoint_s
           : s > max_checkpoint_s ? max_checkpoint_s
                                  : s;
}

status_t job_begin(job_t *job, exchange_t *x)
{
    const job_opts_t *o = job->opts;
    status_t st = exchange_agree(x, check(job, x));

    if (st != ST_OK || (st = job->ops->begin(job, x)) != ST_OK)
        return st;
    job->plan.checkpoint_s = checkpoint_s(&job->plan);
    job->plan.kept_in = job_opts_is_stdout(o) ? "" : job->part_path;
    job->plan.task_timeout_s = (double)o->task_timeout_s;
    job->plan.redundancy = (int)o->redundancy;
    job->plan.recompute = (double)o->recompute_percent / 100;
    return job_shards_settle(job, x);
}

static status_t create_results(const job_t *job, job_batch_t *batch)
{
    if (job->result_bytes == 0)
        return ST_OK;
    batch->results = calloc((size_t)job->max_batch, job->result_bytes);
    return batch->results != NULL ? ST_OK : log_nomem("the results of tasks");
}

static void free_results(const job_t *job, job_batch_t *batch)
{
    char *results = batch->results;

    for (int k = 0;
         job->ops->free_result != NULL && results != NULL && k < job->max_batch; k++)
        job->ops->free_result(results + (size_t)k * job->result_bytes);
    free(results);
    *batch = (job_batch_t){.n = 0};
}

status_t job_prepare(job_t *job, const device_t *device, pool_t *pool,
                     const char **kernel_name, double *guess)
{
    status_t st;

    job->device = *device;
    job->pool = pool;
    /* after a device was given up */
    __atomic_store_n(&job->cancel, 0, __ATOMIC_RELAXED);
    if ((st = job->ops->prepare(job, kernel_name, guess)) != ST_OK)
        return st;
    for (int p = 0; st == ST_OK && p < JOB_PLACES; p++)
        st = create_results(job, &job->collected[p]);
    return st == ST_OK && job->ops->collect == NULL ? create_results(job, &job->submitted)
                                                    : st;
}

void job_release(job_t *job)
{
    job->ops->release(job);
    for (int p = 0; p < JOB_PLACES; p++)
        free_results(job, &job->collected[p]);
    free_results(job, &job->submitted);
}

status_t job_submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    if (job->ops->submit != NULL)
        return job->ops->submit(job, tasks, n, n_begun);
    *n_begun = n < job->max_batch ? n : job->max_batch;
    job->submitted.tasks = tasks;
    job->submitted.n = *n_begun;
    return ST_OK;
}

status_t job_collect(job_t *job, int place)
{
    job_batch_t *to = &job->collected[place];
    void *empty = to->results; /* those of an earlier batch are packed */

    to->tasks = job->submitted.tasks;
    to->n = job->submitted.n;
    if (job->ops->collect != NULL)
        return job->ops->collect(job, place);
    to->results = job->submitted.results;
    job->submitted.results = empty;
    return ST_OK;
}

void job_cancel(job_t *job)
{
    __atomic_store_n(&job->cancel, 1, __ATOMIC_RELAXED);
}

status_t job_finish(job_t *job, const job_report_t *report)
{
    status_t st = job->log != NULL && job->plan.n_shards > 1
                      ? job_shards_take(job, RESLOG_SHARD_READ)
                      : ST_OK;

    if (st != ST_OK)
        return st;
    if (job->log != NULL && !job->log_becomes_output)
        st = job_sync(job);
    if (st == ST_OK)
        st = job->ops->write_result(job, report);
    log_phase("result");
    if (job->log == NULL)
        return st;
    if (st == ST_OK && !job->log_becomes_output)
        reslog_remove(job->log);
    if (st != ST_OK && st != ST_EINPUT && !job_opts_is_stdout(job->opts))
        log_info("%s is complete: give --resume to write the result again",
                 job->part_path);
    return st;
}
