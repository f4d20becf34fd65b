/*
 * job.h - a job: what it is, as a table of functions, and what every job has and does.
 *
 * Tasks are numbered 0 .. n_tasks-1.  A job is one of two kinds.
 *
 * Free tasks (JOB_FREE): any worker may compute any task, in any order, and again if a
 * worker fails.  Rank 0 grants tasks, workers call submit, collect and pack, and rank 0
 * stores each result once, as version 0.  Example: tiles of pairs.
 *
 * A gang (JOB_GANG): every rank takes part in every step, in lockstep, and talks to the
 * others through a gang_t (kernels/gang/gang.h).  Tasks are the fixed blocks that the
 * job's state is cut into; which rank holds which blocks is the job's choice and may
 * depend on the number of ranks, the blocks may not.  The state is saved block by block:
 * a checkpoint is one record per task, whose version is the number of steps done.  A run
 * that is stopped or killed continues from the last complete checkpoint, on any number of
 * ranks.  Example: a partitioned graph.
 *
 * Results must not depend on the number of ranks, on the device or on the order of
 * arrival.
 *
 * A job's structure begins with a job_t.  Its row of functions, job_ops_t, holds what it
 * alone knows; options, log, output, resuming and the end are the same for all jobs
 * (job.c, job_log.c, job_output.c), which call these functions.
 *
 * The comment of each function names where it is called: [all] on every rank's main
 * thread, in step with the other ranks, [worker] on a rank's device thread, [log] on rank
 * 0, which owns the log and the output.  Functions that are marked [free] or [gang] are
 * NULL in the other kind, unless the job chooses its kind in begin.  All that return
 * status_t return ST_OK or an error that they have logged.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/pool.h"
#include "io/result/result_kind.h"
#include "io/store/reslog.h"
#include "kernels/device/device.h"
#include "kernels/gang/gang.h"
#include "worker/exchange.h"
#include "worker/job_opts.h"

#include <time.h>

/* Batches that a job may compute at a time, and collected ones that it may keep: one is
 * packed while the next is collected. */
enum { JOB_DEPTH_MAX = 2, JOB_PLACES = 2 };

typedef enum { JOB_FREE, JOB_GANG } job_kind_t;

/* How a free task is computed: as in a batch; by another implementation, to check that
 * one; or by the definition, which decides if they differ. */
typedef enum { JOB_DEFAULT, JOB_ALTERNATIVE, JOB_REFERENCE } job_how_t;

/* What begin finds out, and the words that messages use. */
typedef struct {
    job_kind_t kind;
    int64_t n_tasks;
    const char *task_word; /* what is computed and stored at once: "tiles" */
    const char *item_word; /* what a user counts: "pairs" */
    const char *cost_word; /* the unit of cost: "cells"; NULL: costs are only estimates,
                              which no message claims as done */
    const char *rate_word; /* cost per second, printed in units of 1e9: "CUPS" as GCUPS;
                              NULL: cost_word/s */
    /* set by job_begin, of the options */
    const char *kept_in;   /* the file that keeps finished work, for messages; NULL: no
                              name; "": nothing is kept */
    double task_timeout_s; /* a worker that is silent for longer hangs; 0: never */
    int redundancy;        /* workers that compute each free task; 0: one */
    double recompute;      /* the fraction of free tasks that are checked, 0..1 */
    int n_shards;          /* ranks that keep a part of the log; 1: rank 0 alone */
    /* set by begin: rank 0 looks at results before they are stored, and keeps them all */
    bool is_watched;
    /* gangs */
    int64_t n_steps;          /* 0: unknown */
    int64_t checkpoint_steps; /* from one checkpoint to the next; 0: use checkpoint_s */
    double checkpoint_bytes;  /* what one has; job_begin sets checkpoint_s by it */
    double checkpoint_s;      /* from one to the next, unless checkpoint_steps is set */
} job_plan_t;

/* What a run did, for the output. */
typedef struct {
    double seconds; /* from the first grant or step to the last result */
    double cost;    /* computed in this run; a gang: of all its steps */
    int64_t items;  /* likewise; a gang: of all tasks, once */
    const char *const
        *ranks; /* [n_ranks] a line each: host, device, kernel, tasks, cost */
    int n_ranks;
} job_report_t;

typedef struct job_ops job_ops_t;

/* Take a result over. @return ST_OK, ST_ENOMEM, or ST_ESTOPPED: the run ends */
typedef status_t job_put_t(void *ctx, int64_t task, buf_t *data);

/* Tasks that a worker computes together. */
typedef struct {
    const int64_t *tasks; /* [n] the worker's, until all are packed */
    int n;
    void *results; /* [max_batch] of result_bytes each; NULL: there are none */
} job_batch_t;

/* What every job has: the first member of its structure. */
typedef struct {
    const job_ops_t *ops;
    job_opts_t *opts; /* the first member of the job's own; borrowed */
    job_plan_t plan;
    int cancel; /* not 0: cancelled, until the next prepare; read it atomically */

    /* rank 0, the owner of the log and the output */
    buf_t text; /* everything the result depends on, NUL-terminated once it is open */
    buf_t log_lines;         /* "name=value\n" ...: what only the log depends on */
    char *part_path;         /* of the log */
    reslog_t *log;           /* NULL: nothing is kept; other ranks: their shard of it */
    int shard;               /* its number; 0: rank 0's */
    bool log_becomes_output; /* by write_result; else it is removed after that */
    time_t started;

    /* every rank: from begin on */
    pool_t *pool; /* or NULL: the caller alone */

    /* every rank, as a worker, from prepare on */
    device_t device;
    int depth; /* free: batches computed at a time, at most JOB_DEPTH_MAX: how many may
                * be submitted before the oldest must be collected */
    int max_batch;                     /* free: tasks in a batch, because of memory */
    size_t result_bytes;               /* free: of what collect finds for a task, from
                                        * zeros on; 0: the job has its own place for it */
    job_batch_t submitted;             /* free, without a submit or a collect of the
                                        * job's own */
    job_batch_t collected[JOB_PLACES]; /* likewise its tasks */
} job_t;

/* A shard has successive ranks, which are those of the same nodes. @return the shard that
 * a rank's results go to; the rank that keeps a shard, the first of these */
static inline int job_shard_of(int rank, int n_ranks, int n_shards)
{
    return (int)((int64_t)rank * n_shards / n_ranks);
}

static inline int job_keeper_of(int shard, int n_ranks, int n_shards)
{
    return (int)(((int64_t)shard * n_ranks + n_shards - 1) / n_shards);
}

enum { JOB_RANKS_PER_SHARD = 64 };

/* @return how many shards a log has, unless --log-shards is given */
static inline int job_default_shards(int n_ranks)
{
    return n_ranks < 2 * JOB_RANKS_PER_SHARD ? 1 : n_ranks / JOB_RANKS_PER_SHARD;
}

/* What the name of the log has more than the output's. */
#define JOB_LOG_SUFFIX ".part"

enum { JOB_EXTRA_OUTPUTS = 7 };

/* The files that a job writes. */
typedef struct {
    bool is_text; /* the output is text, which a label marks as finished; else HDF5 */
    const result_kind_t *kind; /* of an HDF5 file; NULL: pairs */
    const char *format;        /* that the output depends on besides the job; or NULL */
    const char *extra[JOB_EXTRA_OUTPUTS]; /* files that are made of the log, too; NULL:
                                           * not wanted */
} job_outputs_t;

enum { JOB_READER_FILES = 2, JOB_CHILD_FIRST = 1 };

/* What the child reads, besides a finished output (io/base/child_reader.h): files that
 * may crash their library. */
typedef struct {
    bool is_needed;
    bool on_all_ranks;        /* each rank's worker asks a child of its own */
    child_reader_fn_t answer; /* its argument is the job_opts_t; questions begin at
                               * JOB_CHILD_FIRST */
    const char *files[JOB_READER_FILES]; /* that it may read; NULL: none */
} job_reader_t;

/* What a job is. */
struct job_ops {
    const char *name;
    bool has_short_tasks; /* of seconds at most: --plan may compute any */
    size_t size;          /* of its structure, which begins as zeros behind the job_t */

    /* [front end] Check the options, and fill in those that were not given.
     * @param why  out, on ST_EUSAGE: what is wrong and what to do
     * @return ST_OK or ST_EUSAGE (not logged) */
    status_t (*settle)(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]);

    /* [front end; NULL: nothing] Say what a child is to read, before it is forked.
     * @param out  zeros */
    status_t (*reader)(job_opts_t *opts, job_reader_t *out);

    /* What the options have it write.  @param out  zeros */
    void (*outputs)(const job_opts_t *opts, job_outputs_t *out); /* NULL: pairs alone */

    /* Whether the plan is a gang's, whatever the input is: ranks begin to join it before
     * they read that. */
    bool is_gang;

    /* [gang] Where ranks do not reach each other (exchange.h: has_no_gangs), each has the
     * whole job, as the rank of a gang of one: one rank runs it, and it moves by its
     * checkpoints.  is_over follows from k then. */
    bool runs_whole;

    /* [all, by a thread of its own beside begin; NULL: nothing to load] Load what prepare
     * and the first step need on a GPU that is open. */
    void (*load)(const job_opts_t *opts, const device_t *device);

    /* [all] Read the input, pass it to all ranks, and set job->plan. */
    status_t (*begin)(job_t *job, exchange_t *x);

    /* [all, any thread] What a task costs, in cost_words, and how many items it has.
     * A gang: what one step costs. */
    int64_t (*cost)(const job_t *job, int64_t task);
    int64_t (*items)(const job_t *job, int64_t task);

    /* [all, free; NULL: none is] @return whether the result of a task is known: bring
     * gives it, and no worker computes it. */
    bool (*is_known)(const job_t *job, int64_t task);

    /* [log, by a thread of its own while workers compute; with is_known] Pass on the
     * known results that the log lacks.
     * @param put  takes the data over; an error ends it @return also that error */
    status_t (*bring)(job_t *job, job_put_t *put, void *ctx);

    /* [log] Append to job->text everything that the result depends on, as lines
     * "name=value", and to job->log_lines what only the log depends on. */
    status_t (*describe)(job_t *job);

    /* [log, by several threads at a time] Check a record of the log. @return NULL, or why
     * no run makes it: "has 3 bytes too many"; a static text */
    const char *(*check_record)(job_t *job, int64_t task, int64_t version,
                                const buf_t *record);

    /* [log] The log is open and checked: log what the job is. */
    status_t (*opened)(job_t *job);

    /* [all; worker, after a device was lost] Allocate what computing needs, on the device
     * and with the pool of `job`, and set its depth, max_batch and result_bytes.
     *
     * @param kernel_name   the name of what was chosen, the job's until release
     * @param guess         its rate, cost per second
     */
    status_t (*prepare)(job_t *job, const char **kernel_name, double *guess);

    /* [worker, after a device was lost and at its end] The inverse of prepare: free
     * everything on the device and what belongs to batches, so that prepare can be called
     * again.  The device may be lost: errors of its own calls are ignored.  At the end
     * write_result may run at the same time, so it uses nothing that this frees.
     * job_destroy calls it, too, because a run may fail before its worker starts. */
    void (*release)(job_t *job);

    /* [worker; NULL: it owns nothing] Free what a result owns; it may be zeros. */
    void (*free_result)(void *result);

    /*
     * [worker, free] Submit a batch, without waiting; wait for the oldest batch and keep
     * its results in a place, 0 .. JOB_PLACES-1; after that, append the result of its
     * k-th task to `out`.
     *
     * pack is called by several threads (`thread` is the pool's number of each) while
     * later batches are submitted, computed and collected, but never after the next
     * collect of the same place.  The tasks stay where they are until then.
     *
     * Without submit, collect computes the tasks of job->collected[place].  Its results
     * of earlier batches may still be there.  Without collect, submit leaves the results
     * in job->submitted; depth is 1.
     *
     * @param n_begun  the batch is tasks[0 .. n_begun-1]: all n > 0, or as many as memory
     *                 suffices for, at least one
     * @return also ST_ELOST: the device failed; its batches are computed elsewhere; once
     *         job_is_cancelled, anything
     */
    status_t (*submit)(job_t *job, const int64_t *tasks, int n, int *n_begun); /* NULL */
    status_t (*collect)(job_t *job, int place);                                /* NULL */
    status_t (*pack)(job_t *job, int place, int k, int thread, buf_t *out);

    /* [worker, free; NULL: the plan has no recompute] Compute one task with another
     * implementation, and append its result.  Nothing is packed meanwhile. */
    status_t (*check)(job_t *job, int64_t task, job_how_t how, buf_t *out);

    /* [log, free; NULL: the plan has neither recompute nor redundancy] Find out whether
     * two results of a task, each of which may be anything, are the same. */
    status_t (*equal)(const job_t *job, const buf_t *a, const buf_t *b, bool *equal);

    /* [worker, gang] @return whether the state after k steps is final.  Must follow from
     * the state alone, and be the same on all ranks. */
    bool (*is_over)(const job_t *job, int64_t k);

    /* [worker, gang] Compute step k, counted from 0; every rank calls it for every k. */
    status_t (*step)(job_t *job, gang_t *gang, int64_t k);

    /* [worker, gang] @return whether this rank saves the task; exactly one rank must. */
    bool (*holds)(const job_t *job, int64_t task);

    /* [worker, gang] Append the state of a task that this rank holds. */
    status_t (*save)(job_t *job, int64_t task, buf_t *out);

    /* [all, gang] Take a task's saved state, after prepare; called for every task on
     * every rank, whoever holds it.  @param version  steps done */
    status_t (*restore)(job_t *job, int64_t task, int64_t version, const void *data,
                        size_t len);

    /* [log; NULL: accept all] Note a result before it is stored.
     * @return an error ends the run */
    status_t (*note_result)(job_t *job, int64_t task, int64_t version, const void *data,
                            size_t len);

    /* [log] Make the outputs of the complete log.
     * @return ST_EINPUT: to try again would give the same error */
    status_t (*write_result)(job_t *job, const job_report_t *report);

    /* Free what begin has allocated. */
    void (*free)(job_t *job);
};

/*
 * Create a job.
 *
 * @param opts  the options of the job's command line, settled; borrowed, with all that
 *              they point to
 * @return ST_OK or ST_ENOMEM
 */
status_t job_create(const job_ops_t *ops, job_opts_t *opts, job_t **out) MUST_CHECK;

/* Takes NULL. */
void job_destroy(job_t *job);

/* [all] Check the outputs, before anything large is read; then begin.
 * @return also ST_EUSAGE: more --redundancy than ranks */
status_t job_begin(job_t *job, exchange_t *x) MUST_CHECK;

/* [all; worker, after a device was lost] Prepare.
 * @param device, pool  pool: borrowed until release */
status_t job_prepare(job_t *job, const device_t *device, pool_t *pool,
                     const char **kernel_name, double *guess) MUST_CHECK;

/* [worker] As the functions of job_ops_t. */
void job_release(job_t *job);
status_t job_submit(job_t *job, const int64_t *tasks, int n, int *n_begun) MUST_CHECK;
status_t job_collect(job_t *job, int place) MUST_CHECK;

/* @return the result of a batch's k-th task */
static inline void *job_result(const job_t *job, int place, int k)
{
    return (char *)job->collected[place].results + (size_t)k * job->result_bytes;
}

/* [any thread] Make submit, collect or step return early, until the next prepare; their
 * results are not used then. */
void job_cancel(job_t *job);

/* @return whether it was cancelled; any thread */
static inline bool job_is_cancelled(const job_t *job)
{
    return __atomic_load_n(&job->cancel, __ATOMIC_RELAXED) != 0;
}

/* [all, any thread] What a task costs; how many items it has. */
static inline int64_t job_cost(const job_t *job, int64_t task)
{
    return job->ops->cost(job, task);
}

static inline int64_t job_items(const job_t *job, int64_t task)
{
    return job->ops->items(job, task);
}

/* [all, any thread] @return whether its result is known without computing it */
static inline bool job_is_known(const job_t *job, int64_t task)
{
    return job->ops->is_known != NULL && job->ops->is_known(job, task);
}

/* [log] Make the outputs, and remove the log. */
status_t job_finish(job_t *job, const job_report_t *report) MUST_CHECK;

/* job_log.c: the log of finished work; none without an output. */

/* [log] Open it, and check its records of free tasks.
 * @return also ST_EDONE if the job's result exists already */
status_t job_open(job_t *job) MUST_CHECK;

/* [all] After job_open: have other ranks open their shards of the log, if the plan has
 * any.  Unless the options give their number, the plan has none where a rank does not see
 * its file. @return also ST_EIO: this rank cannot open its shard */
status_t job_open_shards(job_t *job, exchange_t *x) MUST_CHECK;

/* [log, free] @return whether the log has the task's result */
bool job_is_done(const job_t *job, int64_t task);

/* [log] Store a task's result; wait until the disk has all results, in a thread of its
 * own while others are stored.  @param version  0 for free tasks, the steps done for
 * gangs */
status_t job_store(job_t *job, int64_t task, int64_t version, const void *data,
                   size_t len) MUST_CHECK;
status_t job_sync(job_t *job) MUST_CHECK;

/* [log, gang] Find the last complete checkpoint, drop what the log has of later ones, and
 * check its records.  Called once, after job_open. @param version  its, or -1: none */
status_t job_checkpoint(job_t *job, int64_t *version) MUST_CHECK;

/* [log, gang] Read a task of that checkpoint. */
status_t job_load(const job_t *job, int64_t task, buf_t *out) MUST_CHECK;

/* Log that a record, although it was checked, is not one of its task. @return ST_EINPUT
 */
status_t job_refuse(const job_t *job, int64_t task);
