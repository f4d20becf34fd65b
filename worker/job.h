/*
 * job.h - a kind of job as a table of functions: what a task is, computed and stored.
 *
 * Tasks are numbered 0 .. n_tasks-1 and free: any worker may compute any, and again.
 * Functions marked [all] run on every rank, [worker] in a rank's device thread, [log] on
 * the log's owner (rank 0).
 */
#ifndef RIBOGRID_WORKER_JOB_H
#define RIBOGRID_WORKER_JOB_H

#include "io/base/buf.h"
#include "io/base/pool.h"
#include "kernels/device/device.h"
#include "worker/exchange.h"

enum { JOB_DEPTH_MAX = 2 };

typedef struct {
    int64_t n_tasks;
    const char *task_word; /* "tiles" */
    const char *item_word; /* "pairs": what a user counts */
} job_plan_t;

/* What a run tells of itself when it ends. */
typedef struct {
    double seconds;           /* from the first grant to the last result */
    double cost;              /* computed in this run: cells */
    int64_t items;            /* likewise: pairs */
    const char *const *ranks; /* [n_ranks] a line each: host, device, kernel, share */
    int n_ranks;
} job_report_t;

typedef struct {
    const char *name;

    /* [all] Read and spread the input, know the tasks. */
    status_t (*begin)(void *job, exchange_t *x, job_plan_t *out);

    /* [all] What a task costs (cells) and holds (pairs). */
    int64_t (*cost)(const void *job, int64_t task);
    int64_t (*items)(const void *job, int64_t task);

    /* [log] Open the log. @return ST_EDONE if the job's result is there already */
    status_t (*open)(void *job);
    bool (*is_done)(const void *job, int64_t task);

    /* [all] Make ready to compute; device and pool are borrowed until destroy.
     * @param kernel_name  what was chosen, the job's @param guess  its rate, cost/s */
    status_t (*prepare)(void *job, const device_t *device, pool_t *pool,
                        const char **kernel_name, double *guess);

    /* [worker] The most tasks that one batch may hold, for memory's sake. */
    int (*batch_limit)(const void *job);
    /* [worker] Batches that the device computes at a time, at most JOB_DEPTH_MAX: so many
     * may be begun before the oldest is waited for. */
    int (*depth)(const void *job);
    /* [worker] Begin a batch (returns at once), wait for the oldest, and, after that,
     * pack its k-th task's result; pack may be called by several threads and while the
     * batches begun since are computed, but not once a further one was waited for.
     * @param n_begun  the first so many of the n > 0 tasks are the batch: all, or those
     *                 that memory was found to suffice for, one at the least */
    status_t (*submit)(void *job, const int64_t *tasks, int n, int *n_begun);
    status_t (*collect)(void *job);
    status_t (*pack)(void *job, int k, int thread, buf_t *out);

    /* [any thread] Have collect return early; its results are not to be used then. */
    void (*cancel)(void *job);

    /* [log] Keep a task's result; have the disk keep what was kept; make the output. */
    status_t (*store)(void *job, int64_t task, const void *data, size_t len);
    status_t (*sync)(void *job);
    status_t (*finish)(void *job, const job_report_t *report);

    void (*destroy)(void *job);
} job_ops_t;

#endif
