/*
 * worker.h - drives one device: a thread that computes a rank's part of a job.
 *
 * Free tasks: the owner, the rank's main thread, gives tasks and takes results.  While
 * the device computes, the pool packs the results of the batch before; a device that
 * computes several batches at a time always has the next one; further tasks wait.  A
 * worker whose GPU fails continues with the CPU.
 *
 * A gang: the thread computes step after step together with the other ranks', and saves
 * checkpoints, whose records are results.
 *
 * The owner's calls never wait for the device.
 */
#pragma once

#include "worker/job.h"
#include "worker/notifier.h"
#include "worker/turns.h"

typedef struct worker worker_t;

/* What a worker works with; all of it is borrowed. */
typedef struct {
    job_t *job;
    pool_t *pool;           /* packs, and computes if the device is the CPU */
    const device_t *device; /* that the job was prepared for */
    double guess;           /* a first guess of the rate, cost per second */
    notifier_t *notifier;   /* notified when there is something for the owner */
    size_t head_bytes;      /* left free in front of each result, for the owner */
    int rank;
    turns_t *turns; /* on the device; NULL: nobody else uses it */
    /* a gang's */
    gang_t *gang;       /* the job's */
    gang_t *control;    /* in host memory, to agree on stops and checkpoints */
    int64_t first_step; /* steps done before */
    int64_t saved;      /* the version that the log has, or -1 */
} worker_opts_t;

/* A finished task, or a saved one: its result behind head_bytes that the owner may fill.
 */
typedef struct {
    int64_t task, version; /* version: a free task's job_how_t */
    buf_t data;            /* the taker's */
} worker_result_t;

typedef struct {
    int64_t n_tasks; /* finished; a gang: steps */
    double cost;
    double busy_s; /* time with batches on the device, or in steps */
    double rate;   /* cost per second, measured on the last batches */
    int64_t n_lost_devices;
} worker_stats_t;

/* Orders for a gang, given to rank 0's worker; the other ranks' follow. */
typedef struct {
    bool stop;       /* save a checkpoint and end after the current step */
    bool checkpoint; /* save one after the current step */
    int64_t kept;    /* the last version that the log has completely, or -1 */
} worker_orders_t;

/* How a gang ended on a rank. */
typedef struct {
    int64_t n_steps; /* done, in all runs */
    bool is_over;    /* the state is final; else it was stopped */
} worker_finish_t;

/* Start a worker. @return ST_OK or ST_ENOMEM */
status_t worker_create(const worker_opts_t *opts, worker_t **out) MUST_CHECK;

/* Add tasks to compute. @return ST_OK or ST_ENOMEM */
status_t worker_give(worker_t *w, const int64_t *tasks, int n) MUST_CHECK;

/* A task to compute once more. */
typedef struct {
    int64_t task;
    int64_t how; /* job_how_t */
} worker_check_t;

/* Add tasks to compute once more; each comes before those of worker_give.
 * @return ST_OK or ST_ENOMEM */
status_t worker_check(worker_t *w, const worker_check_t *checks, int n) MUST_CHECK;

/* Take a result. @return whether there was one */
bool worker_take(worker_t *w, worker_result_t *out);

/*
 * Has the worker lost its device and prepared the CPU instead?
 *
 * It has dropped all tasks that it had not finished, and drops what it is given, until
 * worker_resume.
 *
 * @param rate  a guess of the new rate
 */
bool worker_has_lost_device(worker_t *w, double *rate);

/* The device hangs: cancel what it computes, and go on as after a lost device; with the
 * CPU, if it was the device, in the same way.  Once. */
void worker_give_up_device(worker_t *w);

/* After a lost device: accept tasks again. */
void worker_resume(worker_t *w);

/* Pass orders to a gang's worker; rank 0 only. */
void worker_order(worker_t *w, const worker_orders_t *orders);

/* @return whether a gang's worker has ended without an error, all results delivered */
bool worker_is_finished(worker_t *w, worker_finish_t *out);

/* @return ST_OK, or why the worker gave up; it has been logged */
status_t worker_state(worker_t *w);

worker_stats_t worker_stats(worker_t *w);

/*
 * Stop: tasks that wait are dropped, what is being computed is cancelled.  Then the
 * thread calls the job's release, which this does not wait for.
 *
 * @return whether computing ended within `seconds`; if not, it must not be destroyed
 */
bool worker_stop(worker_t *w, int seconds);

/* Free a stopped worker, once the job is released. Takes NULL. */
void worker_destroy(worker_t *w);

/* sample.c: how fast a worker is, without a run. */

typedef struct {
    int64_t n_tasks; /* computed; 0: one takes too long, and `rate` is the guess */
    double rate;     /* cost per second */
    double start_s;  /* what the first batch took besides its tasks' cost */
} worker_rate_t;

/*
 * Measure a worker: compute a sample of the free tasks of a prepared job, as a run does,
 * and drop the results.  The job must be prepared again before it computes anything else.
 *
 * @param opts     with a notifier of its own and head_bytes 0
 * @param seconds  to compute, or all tasks if these take less
 * @param max_s    to wait for a second batch
 * @return ST_OK, or why the worker gave up (logged)
 */
status_t worker_sample(const worker_opts_t *opts, double seconds, double max_s,
                       worker_rate_t *out) MUST_CHECK;
