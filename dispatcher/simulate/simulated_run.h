/*
 * simulated_run.h - rank 0 as in run.c, with simulated workers and a simulated clock.
 *
 * Rank 0 is a server with a queue: it takes one message per turn, and messages wait while
 * it is busy.
 *
 * Real: the dispatcher with its credit and tasks, the storer and its thread, and the
 * job's functions, including the log that store may write.  Measured: the time that the
 * dispatcher computes in each turn; simulated time advances by it.  Modelled: storing a
 * result takes store_s, which the caller has measured.  The storer's thread runs in real
 * time beside that; the model alone decides what has been stored, and whether rank 0 must
 * wait because more than DISPATCHER_BACKLOG_BYTES have not.
 */
#ifndef RIBOGRID_DISPATCHER_SIMULATE_SIMULATED_RUN_H
#define RIBOGRID_DISPATCHER_SIMULATE_SIMULATED_RUN_H

#include "dispatcher/simulate/transport_simulated.h"

typedef struct {
    simulated_opts_t transport;
    double message_s;              /* rank 0's time in MPI per message, assumed */
    double store_s;                /* to store a result */
    double min_wait_s, max_wait_s; /* of rank 0 when it is idle; 0: none */
} simulated_run_opts_t;

typedef struct {
    double seconds;     /* simulated, until the last result was stored */
    double setup_s;     /* creating the dispatcher, before time starts */
    double dispatch_s;  /* rank 0's main thread computed in the dispatcher */
    double receive_s;   /* and received messages: copies, and message_s each */
    double store_s;     /* the log was busy */
    double link_s;      /* rank 0's link carried results */
    double wait_s;      /* rank 0 took no message because the disk was behind */
    double utilization; /* cost computed, of what the workers can compute in `seconds` */
    int64_t n_results, n_messages;
    int n_unused; /* workers that finished no task */
} simulated_run_t;

/*
 * Run a job's tasks.
 *
 * @param job   with a plan, cost, items and write_result
 * @return ST_OK, ST_ENOMEM, or what the job's functions return
 */
status_t simulated_run(const simulated_run_opts_t *opts, job_t *job,
                       simulated_run_t *out) MUST_CHECK;

#endif
