/*
 * worker.h - drives one device: a thread that computes what it is given, batch after
 * batch.
 *
 * While the device computes, the results of the batch before are packed; a device that
 * computes several batches at a time always has the next one; further tasks wait in the
 * inbox.  The owner's thread gives tasks and takes results, and is never made to wait.
 */
#ifndef RIBOGRID_WORKER_WORKER_H
#define RIBOGRID_WORKER_WORKER_H

#include "worker/job.h"

typedef struct worker worker_t;

/* A finished task: its packed result behind `room` bytes that the owner may fill. */
typedef struct {
    int64_t task;
    buf_t data; /* the taker's */
} worker_result_t;

typedef struct {
    int64_t n_tasks; /* finished */
    double cost;
    double busy_s; /* time with batches on the device */
    double rate;   /* cost a second, lately */
} worker_stats_t;

/*
 * Start a worker.
 *
 * @param pool   threads that pack, and compute where the device is the CPU; borrowed
 * @param guess  a first guess of the rate, cost a second
 * @param room   bytes to leave free before each packed result
 * @return ST_OK or ST_ENOMEM
 */
status_t worker_create(const job_ops_t *ops, void *job, pool_t *pool, double guess,
                       size_t room, worker_t **out) MUST_CHECK;

/* Add tasks to the inbox. @return ST_OK or ST_ENOMEM */
status_t worker_give(worker_t *w, const int64_t *tasks, int n) MUST_CHECK;

/* Take a finished task. @return whether there was one */
bool worker_take(worker_t *w, worker_result_t *out);

/* @return ST_OK, or why the worker gave up; it has logged it */
status_t worker_state(worker_t *w);

worker_stats_t worker_stats(worker_t *w);

/*
 * Stop: what is in the inbox is forgotten, what is under way is cancelled.
 *
 * @return whether the thread ended within `seconds`; if not it must not be destroyed
 */
bool worker_stop(worker_t *w, int seconds);

/* Free a stopped worker. Takes NULL. */
void worker_destroy(worker_t *w);

#endif
