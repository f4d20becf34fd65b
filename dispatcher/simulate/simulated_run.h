/*
 * simulated_run.h - rank 0 as in run.c, with simulated workers and a simulated clock.
 *
 * Rank 0 is a server with a queue: it takes one message per turn, and messages wait while
 * it is busy.
 *
 * Real: the dispatcher with its credit and tasks, the storer and its thread, and the
 * job's functions, including the log that store may write.  Measured: the time that the
 * dispatcher computes in each turn; simulated time advances by it.  Modelled: storing a
 * result takes store_s, which the caller has measured, also on ranks that keep a shard.
 * The storer's thread runs in real time beside that; the model alone decides what has
 * been stored, and whether rank 0 must wait because more than DISPATCHER_BACKLOG_BYTES
 * have not.
 */
#pragma once

#include "dispatcher/transport/transport.h"
#include "io/base/fifo.h"
#include "worker/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* Events in simulated time, the earliest first. */

typedef struct {
    double at;      /* seconds */
    int64_t number; /* set by the queue; the lower one is first on a tie in time */
    int rank;
    int kind;
    buf_t data;
} event_t;

/* A heap. Zeroed: empty. */
typedef struct {
    event_t *items; /* [n] */
    size_t n, capacity;
    int64_t n_pushed;
} event_queue_t;

/* Add an event; takes its data over, and frees it on failure.
 * @return ST_OK or ST_ENOMEM */
status_t event_queue_push(event_queue_t *q, event_t event) MUST_CHECK;

/* @return the earliest event, or NULL */
const event_t *event_queue_first(const event_queue_t *q);

/* Take the earliest event; its data is the caller's. @return whether there was one */
bool event_queue_pop(event_queue_t *q, event_t *out);

void event_queue_free(event_queue_t *q);

/* transport_simulated.c: a transport to simulated workers, in simulated time.
 *
 * Rank 0's side is real: the real dispatcher sends and receives here.  The workers,
 * including rank 0's own, are a few numbers each.  A worker computes its tasks one after
 * another, at a rate of its own, and sends each result at once; STOP makes it drop its
 * current task and answer STOPPED.
 *
 * A rank that keeps a shard of the log is a link and a disk: it stores one result after
 * another, and reports to rank 0 as often as a real one (keeper.h).
 *
 * Time advances in two ways only: by what rank 0 computes between
 * transport_simulated_begin and _end, read from the clock, and by
 * transport_simulated_wait. Messages pass rank 0's link one after another in each
 * direction, at its bandwidth, and then take the latency.  A message is sent at the
 * simulated time of the call. */

typedef struct {
    int n_ranks;
    const double *rate;  /* [n_ranks] cost per second */
    const double *guess; /* [n_ranks] first guesses of it */
    double jitter;       /* a task takes up to this fraction longer or shorter: 0..1 */
    uint64_t seed;
    double latency_s;
    double bytes_per_s;    /* of rank 0's link, each way */
    size_t result_bytes;   /* a packed result */
    const void *payload;   /* [result_bytes] copied into each; NULL: left undefined */
    const job_t *job;      /* gives the tasks' costs, and the number of shards */
    double store_s;        /* to store a result */
    double (*clock)(void); /* seconds that rank 0's main thread has computed */
} simulated_opts_t;

/* Make one; opts and what it points to are borrowed. @return ST_OK or ST_ENOMEM */
status_t transport_simulated_create(const simulated_opts_t *opts,
                                    transport_t **out) MUST_CHECK;

/* Rank 0 begins to compute: time advances with its clock. */
void transport_simulated_begin(transport_t *t);

/* Rank 0 has stopped computing. @return for how long it did, seconds */
double transport_simulated_end(transport_t *t);

/* @return the simulated time, seconds from 0 */
double transport_simulated_now(const transport_t *t);

/* Let this much time pass. */
void transport_simulated_wait(transport_t *t, double seconds);

/* Carry out all events up to now. @return ST_OK or ST_ENOMEM */
status_t transport_simulated_advance(transport_t *t) MUST_CHECK;

/*
 * Find out when rank 0 gets its next message if it sends none before.
 *
 * @param at  seconds; INFINITY if none will arrive
 * @return ST_OK or ST_ENOMEM
 */
status_t transport_simulated_next(transport_t *t, double *at) MUST_CHECK;

/* @return what a worker has done so far */
worker_stats_t transport_simulated_stats(const transport_t *t, int rank);

/* @return how long rank 0's link has carried messages to it, seconds */
double transport_simulated_link_s(const transport_t *t);

typedef struct {
    simulated_opts_t transport;
    double message_s;              /* rank 0's time in MPI per message, assumed */
    double min_wait_s, max_wait_s; /* of rank 0 when it is idle; 0: none */
} simulated_run_opts_t;

typedef struct {
    double seconds;     /* simulated, until the last result was stored */
    double dispatch_s;  /* rank 0's main thread computed in the dispatcher */
    double receive_s;   /* and received messages: copies, and message_s each */
    double store_s;     /* rank 0's log was busy */
    double link_s;      /* rank 0's link carried results */
    double wait_s;      /* rank 0 took no message because the disk was behind */
    double utilization; /* cost computed, of what the workers can compute in `seconds` */
    int64_t n_results, n_messages;
    int64_t n_stored; /* results in rank 0's log */
    int n_unused;     /* workers that finished no task */
} simulated_run_t;

/*
 * Run a job's tasks.
 *
 * @param job   with a plan, cost, items and write_result
 * @return ST_OK, ST_ENOMEM, or what the job's functions return
 */
status_t simulated_run(const simulated_run_opts_t *opts, job_t *job,
                       simulated_run_t *out) MUST_CHECK;
