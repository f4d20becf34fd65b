/*
 * dispatcher.h - rank 0's side of a run: grants, results, checkpoints, the end.
 *
 * A state machine without threads of its own: the main thread calls dispatcher_receive
 * for each message and dispatcher_step in between.
 */
#pragma once

#include "dispatcher/transport/transport.h"
#include "worker/worker.h"

/* Results that wait for the disk may take this much of rank 0's memory. */
enum { DISPATCHER_BACKLOG_BYTES = 64 << 20 };

typedef struct dispatcher dispatcher_t;

/* What it works with; all of it is borrowed. */
typedef struct {
    job_t *job;
    transport_t *transport;
    const double *guess; /* [n_ranks] a first guess of each worker's rate, cost per
                          * second, < 0: it computes nothing; read by
                          * dispatcher_create only */
    int64_t saved; /* a gang: the version of the checkpoint that it starts from; -1: none
                    */
    /* writes host, device and kernel of a rank, for messages; NULL: not known */
    void (*describe)(const void *ctx, int rank, char *out, size_t size);
    const void *describe_ctx;
    double (*clock)(void); /* that tells who is late, in seconds;
                            * NULL: clock_now_s */
} dispatcher_opts_t;

/* Make one. @return ST_OK or ST_ENOMEM */
status_t dispatcher_create(const dispatcher_opts_t *opts, dispatcher_t **out) MUST_CHECK;

/* Act on a message for rank 0's dispatcher; takes its data over. @return ST_OK, or an
 * error that ends the run */
status_t dispatcher_receive(dispatcher_t *d, message_t *m) MUST_CHECK;

/* Grant tasks, note what was stored, show progress, begin the end. @return as
 * dispatcher_receive */
status_t dispatcher_step(dispatcher_t *d) MUST_CHECK;

/*
 * A gang: note how far it is.
 *
 * @param n_steps  done by rank 0's worker in this run
 * @return what rank 0's worker has to bring about
 */
worker_orders_t dispatcher_direct_gang(dispatcher_t *d, int64_t n_steps);

/* Have a rank leave that has nothing to do, where the transport can dismiss it. */
void dispatcher_dismiss(dispatcher_t *d, int rank);

/* Stop all workers now, for a reason: ST_ESTOPPED or an error. */
void dispatcher_stop(dispatcher_t *d, status_t reason);

/* @return whether the disk is so far behind that no results should be received for now */
bool dispatcher_is_full(const dispatcher_t *d);

/*
 * After every worker has stopped: have the logs of other ranks copied into rank 0's, if
 * there are any and the run has ended well.
 *
 * @param done  out: false: call it again, after further messages
 * @return ST_OK or an error, which dispatcher_finish returns as well
 */
status_t dispatcher_gather(dispatcher_t *d, bool *done) MUST_CHECK;

/* @return whether every worker has stopped; whether that of a rank has */
bool dispatcher_is_over(const dispatcher_t *d);
bool dispatcher_has_stopped(const dispatcher_t *d, int rank);

/* @return whether it is stopping, and since when (clock_now_s) */
bool dispatcher_is_stopping(const dispatcher_t *d, double *since);

/*
 * After the workers have stopped: store what has arrived and, if nothing failed and all
 * tasks are finished, make the job's output.
 *
 * @param ranks  [n_ranks] one line per rank on what it computed; NULL: this rank has
 *               failed, make no output
 * @return the status of the run
 */
status_t dispatcher_finish(dispatcher_t *d, char *const *ranks) MUST_CHECK;

/* @return whether a rank has stopped in a collective that will not complete */
bool dispatcher_is_incomplete(const dispatcher_t *d);

/* @return what a worker did, once it has stopped; before, zeros */
worker_stats_t dispatcher_worker_stats(const dispatcher_t *d, int rank);

/* Takes NULL. */
void dispatcher_destroy(dispatcher_t *d);
