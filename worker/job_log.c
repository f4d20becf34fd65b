/*
 * job_log.c - the log of a job's finished work: opened or resumed, written, and read
 * again.
 */
#include "io/base/logmsg.h"
#include "kernels/device/device.h"
#include "worker/job_output.h"
#include "worker/job_shards.h"
#include "worker/log_check.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *check_record(void *ctx, int64_t task, int64_t version,
                                const buf_t *record)
{
    job_t *job = ctx;

    if (job->plan.kind == JOB_FREE && version != 0)
        return "has a version";
    return job->ops->check_record(job, task, version, record);
}

/* On all processors: the job has no pool yet. */
static status_t check_records(job_t *job)
{
    pool_t *pool = NULL;
    status_t st;

    if (reslog_n_done(job->log) == 0)
        return ST_OK;
    if ((st = pool_create(device_cpu().n_cores, &pool)) == ST_OK)
        st = log_check(job->log, job->plan.n_tasks, pool, check_record, job);
    pool_destroy(pool);
    return st;
}

/* Create the log of a run that continues and replaces nothing. */
static status_t create_log(job_t *job, const char *text)
{
    status_t st = reslog_create(job->part_path, text, job->plan.n_tasks, &job->log);
    struct stat info;

    if (st != ST_OK || job_opts_is_stdout(job->opts) ||
        stat(job->opts->output, &info) != 0 || !S_ISREG(info.st_mode))
        return st;
    log_error("%s exists since this run began; give --force to replace it, or another -o",
              job->opts->output);
    return ST_EINPUT; /* the log is empty: job_destroy removes it */
}

/* Those of a run that is continued, or begun anew. */
static status_t take_shards(job_t *job, bool afresh)
{
    status_t st = job_shards_take(job, afresh ? RESLOG_SHARD_DISCARD : RESLOG_SHARD_KEEP);

    if (st != ST_OK && reslog_n_shards(job->log) == 0 && reslog_n_done(job->log) == 0)
        reslog_remove(job->log); /* it was not there, and is of no use beside them */
    return st;
}

/* @param text  of the log */
static status_t resume_log(job_t *job, const char *text)
{
    const job_opts_t *o = job->opts;
    const bool afresh = o->force && !o->resume;
    status_t st;

    do { /* once more if the run that held the log has finished meanwhile */
        /* A log beside a finished file is that of a run with --force, and is the one to
         * resume.  It is checked first, because it is removed once the file is there. */
        if (o->resume && access(job->part_path, F_OK) != 0 &&
            access(o->output, F_OK) == 0 && (st = job_output_compare(job)) != ST_OK)
            return st;
        st = reslog_open(job->part_path, text, job->plan.n_tasks, afresh, &job->log);
        if (st == ST_OK)
            st = take_shards(job, afresh);
    } while (st == ST_EDONE);
    /* That run may also have finished between the two checks. */
    if (st == ST_OK && o->resume && reslog_n_done(job->log) == 0 &&
        access(o->output, F_OK) == 0) {
        st = job_output_compare(job);
        reslog_remove(job->log);
    }
    return st;
}

/* Write the texts of the job and of its log. @param log_text  out */
static status_t describe(job_t *job, buf_t *log_text)
{
    status_t st = job->ops->describe(job);

    if (st == ST_OK)
        st = buf_append(log_text, job->text.data, job->text.len);
    if (st == ST_OK && job->log_lines.len > 0)
        st = buf_append(log_text, job->log_lines.data, job->log_lines.len);
    if (st == ST_OK)
        st = buf_append(log_text, "", 1);
    return st == ST_OK ? buf_append(&job->text, "", 1) : st;
}

status_t job_open(job_t *job)
{
    buf_t log_text = {0};
    status_t st = describe(job, &log_text);

    if (st == ST_OK)
        st = job->opts->resume || (job->opts->force && !job_opts_is_stdout(job->opts))
                 ? resume_log(job, (const char *)log_text.data)
                 : create_log(job, (const char *)log_text.data);
    if (!job->opts->reads_again)
        child_reader_stop(job->opts->reader);
    buf_free(&log_text);
    if (st == ST_OK && job->plan.kind == JOB_FREE)
        st = check_records(job);
    return st == ST_OK ? job->ops->opened(job) : st;
}

bool job_is_done(const job_t *job, int64_t task)
{
    return job->log != NULL && reslog_has(job->log, task);
}

status_t job_store(job_t *job, int64_t task, int64_t version, const void *data,
                   size_t len)
{
    status_t st = job->ops->note_result != NULL
                      ? job->ops->note_result(job, task, version, data, len)
                      : ST_OK;

    return st == ST_OK && job->log != NULL
               ? reslog_append(job->log, task, version, data, len)
               : st;
}

status_t job_sync(job_t *job)
{
    return job->log != NULL ? reslog_sync(job->log) : ST_OK;
}

status_t job_checkpoint(job_t *job, int64_t *version)
{
    status_t st = reslog_rewind(job->log);

    *version = reslog_complete(job->log);
    return st == ST_OK ? check_records(job) : st;
}

status_t job_load(const job_t *job, int64_t task, buf_t *out)
{
    return reslog_read(job->log, task, out);
}

status_t job_refuse(const job_t *job, int64_t task)
{
    log_error("%s: the record of task %" PRId64 " is damaged; give --force to start over",
              job->part_path, task);
    return ST_EINPUT;
}
