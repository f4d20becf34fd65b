/*
 * dispatcher.h - rank 0's side of a run: grants, results, the end.
 *
 * A state machine without threads of its own: dispatcher_receive for each message and
 * dispatcher_step in between, by the main thread.
 */
#ifndef RIBOGRID_DISPATCHER_DISPATCHER_H
#define RIBOGRID_DISPATCHER_DISPATCHER_H

#include "dispatcher/transport/transport.h"
#include "worker/worker.h"

/* Results that wait for the disk may take this much of rank 0's memory. */
enum { DISPATCHER_BACKLOG_BYTES = 64 << 20 };

typedef struct dispatcher dispatcher_t;

/*
 * Make one.
 *
 * @param guess  [n_ranks] a first guess of each worker's rate, cost a second
 * @return ST_OK or ST_ENOMEM
 */
status_t dispatcher_create(const job_ops_t *ops, void *job, const job_plan_t *plan,
                           transport_t *t, const double *guess,
                           dispatcher_t **out) MUST_CHECK;

/* Act on a message for rank 0's dispatcher; takes its data over. @return ST_OK or an
 * error that ends the run */
status_t dispatcher_receive(dispatcher_t *d, message_t *m) MUST_CHECK;

/* Grant, note what was kept, show progress, begin the end. @return as dispatcher_receive
 */
status_t dispatcher_step(dispatcher_t *d) MUST_CHECK;

/* Begin to stop, for a reason: ST_ESTOPPED or an error. */
void dispatcher_stop(dispatcher_t *d, status_t reason);

/* @return whether no more results should be received for now: the disk is behind */
bool dispatcher_is_full(const dispatcher_t *d);

/* @return whether every worker has said BYE */
bool dispatcher_is_over(const dispatcher_t *d);

/* @return whether it is stopping, and since when (progress_now_s) */
bool dispatcher_is_stopping(const dispatcher_t *d, double *since);

/*
 * After the workers' end: keep what has arrived and, if nothing failed and all tasks are
 * finished, have the job make its output.
 *
 * @param ranks  [n_ranks] a line each on what computed; NULL: make no output, a rank is
 *               lost
 * @return the status of the run
 */
status_t dispatcher_finish(dispatcher_t *d, char *const *ranks) MUST_CHECK;

/* @return what a worker said at its end */
worker_stats_t dispatcher_worker_stats(const dispatcher_t *d, int rank);

/* Takes NULL. */
void dispatcher_destroy(dispatcher_t *d);

#endif
