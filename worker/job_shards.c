/*
 * job_shards.c - how many ranks keep a part of a job's log, and their files.
 */
#include "worker/job_shards.h"

#include "io/base/logmsg.h"
#include "io/store/reslog_head.h"
#include "io/store/reslog_shards.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* @return why rank 0 has to keep all results; NULL: it need not */
static const char *why_one(const job_t *job)
{
    const job_opts_t *o = job->opts;

    return job->plan.kind == JOB_GANG ? "the ranks of a gang save checkpoints together"
           : job->plan.is_watched     ? "rank 0 adds up the size of hits (--max-output)"
           : o->redundancy > 0 || o->recompute_percent > 0
               ? "rank 0 compares results (--redundancy, --recompute)"
           : o->output == NULL || job_opts_is_stdout(o) ? "no log is kept of this output"
                                                        : NULL;
}

status_t job_shards_settle(job_t *job, const exchange_t *x)
{
    const job_opts_t *o = job->opts;
    const char *why = why_one(job);

    job->plan.n_shards = why != NULL         ? 1
                         : o->log_shards > 0 ? (int)o->log_shards
                                             : job_default_shards(x->n_ranks);
    if (o->log_shards > 1 && why != NULL) {
        if (x->rank == 0)
            log_error("--log-shards %" PRId64 ": %s; leave it out", o->log_shards, why);
        return ST_EUSAGE;
    }
    return ST_OK;
}

/* [log] The text of the log. @return NULL: logged */
static char *text_of(const job_t *job)
{
    char *text = reslog_head_text(job->part_path);

    if (text == NULL)
        log_error("%s: cannot read its header again; repair the disk, then run again "
                  "with --resume",
                  job->part_path);
    return text;
}

status_t job_shards_take(job_t *job, reslog_use_t use)
{
    char *text;
    status_t st = ST_EIO;

    if (use != RESLOG_SHARD_READ && !reslog_shards_exist(job->part_path) &&
        reslog_n_shards(job->log) <= 1)
        return ST_OK;
    if ((text = text_of(job)) != NULL)
        st = reslog_shards_take(job->log, text, job->plan.n_tasks, use);
    free(text);
    if (st != ST_OK || use != RESLOG_SHARD_READ ||
        reslog_n_done(job->log) == job->plan.n_tasks)
        return st;
    log_error("%s: %" PRId64 " of %" PRId64 " %s are missing in the logs of other ranks; "
              "run again with --resume to compute them again",
              job->part_path, job->plan.n_tasks - reslog_n_done(job->log),
              job->plan.n_tasks, job->plan.task_word);
    return ST_EIO;
}

/* [all] Copy rank 0's text to every rank. @param text  out on other ranks; the caller
 * frees it, also after an error */
static status_t share_text(exchange_t *x, char **text)
{
    int64_t len = x->rank == 0 ? (int64_t)strlen(*text) : 0;
    status_t st = x->broadcast(x, &len, sizeof(len));

    if (st == ST_OK && x->rank != 0 && (*text = calloc(1, (size_t)len + 1)) == NULL)
        st = log_nomem("the log's text");
    st = exchange_agree(x, st);
    return st == ST_OK ? x->broadcast(x, *text, (size_t)len) : st;
}

/* [all] Whether all ranks that keep a shard see its file. @param path  NULL: none */
static bool all_see(exchange_t *x, const char *path)
{
    return exchange_agree(x, path == NULL || access(path, R_OK | W_OK) == 0
                                 ? ST_OK
                                 : ST_EIO) == ST_OK;
}

/* [all] Rank 0 alone keeps a log after all. */
static status_t do_without(job_t *job, exchange_t *x)
{
    status_t st = ST_OK;

    job->plan.n_shards = 1;
    job->shard = 0;
    if (x->rank == 0) {
        log_warn("%s: not all nodes share its folder, so rank 0 alone keeps a log",
                 job->part_path);
        reslog_shards_remove(job->part_path);
        st = reslog_set_shards(job->log, 1);
    }
    return exchange_agree(x, st);
}

/* [all] Have each rank that keeps a shard open it. @param path  of it; NULL: none */
static status_t open_shards(job_t *job, exchange_t *x, const char *path)
{
    char *text = x->rank == 0 ? text_of(job) : NULL;
    status_t st = exchange_agree(x, x->rank == 0 && text == NULL ? ST_EIO : ST_OK);

    if (st == ST_OK)
        st = exchange_agree(x, x->rank == 0 ? reslog_shards_create(job->log, text,
                                                                   job->plan.n_tasks,
                                                                   job->plan.n_shards)
                                            : ST_OK);
    if (st == ST_OK && job->opts->log_shards == 0 && !all_see(x, path)) {
        free(text);
        return do_without(job, x);
    }
    if (st == ST_OK && (st = share_text(x, &text)) == ST_OK)
        st = exchange_agree(x, path != NULL
                                   ? reslog_open_shard(path, text, job->plan.n_tasks,
                                                       RESLOG_SHARD_KEEP, &job->log)
                                   : ST_OK);
    free(text);
    return st;
}

status_t job_open_shards(job_t *job, exchange_t *x)
{
    const int n = job->plan.n_shards, shard = job_shard_of(x->rank, x->n_ranks, n);
    char *path = NULL;
    status_t st = ST_OK;

    if (n == 1)
        return ST_OK;
    if (shard > 0 && x->rank == job_keeper_of(shard, x->n_ranks, n)) {
        job->shard = shard;
        if ((path = reslog_shards_path(job->part_path, shard)) == NULL)
            st = ST_ENOMEM;
    }
    st = exchange_agree(x, st);
    if (st == ST_OK)
        st = open_shards(job, x, path);
    free(path);
    if (st == ST_OK && x->rank == 0 && job->plan.n_shards > 1)
        log_info("%d ranks keep the log: %s, %s.1 and so on", job->plan.n_shards,
                 job->part_path, job->part_path);
    return st;
}

void job_shards_end(job_t *job)
{
    const bool is_stdout = job_opts_is_stdout(job->opts);

    if (job->log == NULL || job->shard > 0)
        return; /* rank 0 removes shards */
    if (!is_stdout &&
        (reslog_n_done(job->log) > 0 || reslog_shards_have_records(job->part_path)))
        return;
    if (!is_stdout)
        reslog_shards_remove(job->part_path);
    reslog_remove(job->log); /* there is nothing to resume */
}
