/*
 * simulated_run.h - rank 0 as in run.c, with made-up workers and a made-up clock.
 *
 * Rank 0 is a server with a queue: it takes one message a turn, and messages wait while
 * it is busy.  Real: the dispatcher with its credit and tasks, the storer and its thread,
 * and the job's functions, among them the log that store may write.  Measured: the time
 * that the dispatcher computes, by the clock, turn by turn; it is what simulated time
 * goes on by.  Accounted: keeping a result, at a rate that the caller measured.  The
 * storer's thread runs beside in real time; what has been stored, and whether rank 0 must
 * wait since more than DISPATCHER_BACKLOG_BYTES are not, follows from the account.
 */
#ifndef RIBOGRID_DISPATCHER_SIMULATE_SIMULATED_RUN_H
#define RIBOGRID_DISPATCHER_SIMULATE_SIMULATED_RUN_H

#include "dispatcher/simulate/transport_simulated.h"

typedef struct {
    simulated_opts_t transport;
    double message_s;                   /* rank 0's time in MPI for a message, assumed */
    double store_s;                     /* to keep a result */
    double sleep_least_s, sleep_most_s; /* of rank 0, when idle */
} simulated_run_opts_t;

typedef struct {
    double seconds;     /* simulated, until the last result was kept */
    double setup_s;     /* the dispatcher's creation, before time starts */
    double dispatch_s;  /* rank 0's main thread computed, in the dispatcher */
    double receive_s;   /* and for messages: copies, and message_s each */
    double store_s;     /* the log was busy */
    double link_s;      /* rank 0's link was busy with results */
    double wait_s;      /* rank 0 took no message: the disk was behind */
    double utilization; /* of all that the workers could compute in `seconds` */
    int64_t n_results, n_messages;
    int n_unused; /* workers that finished no task */
} simulated_run_t;

/*
 * Run a job's tasks.
 *
 * @param job   with ops->cost, items, is_done, store, sync and finish
 * @return ST_OK, ST_ENOMEM, or what the job's functions return
 */
status_t simulated_run(const simulated_run_opts_t *opts, void *job,
                       const job_plan_t *plan, simulated_run_t *out) MUST_CHECK;

#endif
