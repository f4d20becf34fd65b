/*
 * job.h - a kind of job as a table of functions: what a task is, computed and stored.
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
 * The comment of each function names where it is called: [all] on every rank's main
 * thread, in step with the other ranks, [worker] on a rank's device thread, [log] on rank
 * 0, which owns the log and the output.  Functions that are marked [free] or [gang] are
 * NULL in the other kind, unless the job chooses its kind in begin.  All that return
 * status_t return ST_OK or an error that they have logged.
 */
#ifndef RIBOGRID_WORKER_JOB_H
#define RIBOGRID_WORKER_JOB_H

#include "io/base/buf.h"
#include "io/base/pool.h"
#include "kernels/device/device.h"
#include "kernels/gang/gang.h"
#include "worker/exchange.h"

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
    const char *kept_in;   /* the file that keeps finished work, for messages; NULL: no
                              name */
    double task_timeout_s; /* a worker that is silent for so long hangs; 0: never */
    int redundancy;        /* workers that compute each free task; 0: one */
    double verify;         /* the fraction of free tasks that are checked, 0..1 */
    /* gangs */
    int64_t n_steps;          /* 0: unknown */
    int64_t checkpoint_steps; /* from one checkpoint to the next; 0: use checkpoint_s */
    double checkpoint_s;      /* likewise in seconds; 0: JOB_CHECKPOINT_S */
} job_plan_t;

enum { JOB_CHECKPOINT_S = 60 };

/* What a run did, for the output. */
typedef struct {
    double seconds; /* from the first grant or step to the last result */
    double cost;    /* computed in this run; a gang: of all its steps */
    int64_t items;  /* likewise; a gang: of all tasks, once */
    const char *const
        *ranks; /* [n_ranks] a line each: host, device, kernel, tasks, cost */
    int n_ranks;
} job_report_t;

typedef struct {
    const char *name;

    /* [all] Read the input, pass it to all ranks, and fill in the plan. */
    status_t (*begin)(void *job, exchange_t *x, job_plan_t *out);

    /* [all, any thread] What a task costs, in cost_words, and how many items it has.
     * A gang: what one step costs. */
    int64_t (*cost)(const void *job, int64_t task);
    int64_t (*items)(const void *job, int64_t task);

    /* [log] Open the log. @return also ST_EDONE if the job's result exists already */
    status_t (*open)(void *job);

    /* [log, free] @return whether the log has the task's result */
    bool (*is_done)(const void *job, int64_t task);

    /*
     * [all; worker, after a device was lost] Allocate what computing needs.
     *
     * @param device, pool  borrowed until release
     * @param kernel_name   the name of what was chosen, the job's until release
     * @param guess         its rate, cost per second
     */
    status_t (*prepare)(void *job, const device_t *device, pool_t *pool,
                        const char **kernel_name, double *guess);

    /* [worker, after a device was lost and at its end] The inverse of prepare: free
     * everything on the device and what belongs to batches, so that prepare can be called
     * again.  The device may be lost: errors of its own calls are ignored.  At the end
     * finish may run at the same time, so it uses nothing that this frees.  destroy calls
     * it, too, because a run may fail before its worker starts. */
    void (*release)(void *job);

    /* [worker, free] The maximum number of tasks in a batch, because of memory. */
    int (*batch_limit)(const void *job);

    /* [worker, free] Batches computed at a time, at most JOB_DEPTH_MAX: how many may be
     * submitted before the oldest must be collected. */
    int (*depth)(const void *job);

    /*
     * [worker, free] Submit a batch, without waiting; wait for the oldest batch and keep
     * its results in a place, 0 .. JOB_PLACES-1; after that, append the result of its
     * k-th task to `out`.
     *
     * pack is called by several threads (`thread` is the pool's number of each) while
     * later batches are submitted, computed and collected, but never after the next
     * collect of the same place.
     *
     * @param n_begun  the batch is tasks[0 .. n_begun-1]: all n > 0, or as many as memory
     *                 suffices for, at least one
     * @return also ST_ELOST: the device failed; its batches are computed elsewhere
     */
    status_t (*submit)(void *job, const int64_t *tasks, int n, int *n_begun);
    status_t (*collect)(void *job, int place);
    status_t (*pack)(void *job, int place, int k, int thread, buf_t *out);

    /* [worker, free; NULL: the plan has no verify] Compute one task with another
     * implementation, and append its result.  Nothing is packed meanwhile. */
    status_t (*check)(void *job, int64_t task, job_how_t how, buf_t *out);

    /* [log, free; NULL: the plan has neither verify nor redundancy] Find out whether two
     * results of a task, each of which may be anything, are the same. */
    status_t (*equal)(const void *job, const buf_t *a, const buf_t *b, bool *equal);

    /* [worker, gang] @return whether the state after k steps is final.  Must follow from
     * the state alone, and be the same on all ranks. */
    bool (*is_over)(const void *job, int64_t k);

    /* [worker, gang] Compute step k, counted from 0; every rank calls it for every k. */
    status_t (*step)(void *job, gang_t *gang, int64_t k);

    /* [worker, gang] @return whether this rank saves the task; exactly one rank must. */
    bool (*holds)(const void *job, int64_t task);

    /* [worker, gang] Append the state of a task that this rank holds. */
    status_t (*save)(void *job, int64_t task, buf_t *out);

    /* [log, gang] @return the version of the log's last complete checkpoint, or -1.
     * Called once, after open; drops what the log has of later ones (reslog_rewind). */
    status_t (*checkpoint)(void *job, int64_t *version);

    /* [log, gang] Read a task of that checkpoint. */
    status_t (*load)(void *job, int64_t task, buf_t *out);

    /* [all, gang] Take a task's saved state, after prepare; called for every task on
     * every rank, whoever holds it.  @param version  steps done */
    status_t (*restore)(void *job, int64_t task, int64_t version, const void *data,
                        size_t len);

    /* [any thread] Make submit, collect or step return early, until the next prepare;
     * their results are not used then. */
    void (*cancel)(void *job);

    /* [log] Store a task's result; wait until the disk has all results, in a thread of
     * its own while others are stored; make the output, for which the disk may not have
     * the last results yet.
     * @param version  0 for free tasks, the steps done for gangs */
    status_t (*store)(void *job, int64_t task, int64_t version, const void *data,
                      size_t len);
    status_t (*sync)(void *job);
    status_t (*finish)(void *job, const job_report_t *report);

    /* Takes NULL. */
    void (*destroy)(void *job);
} job_ops_t;

#endif
