/*
 * transport_simulated.h - a transport to simulated workers, in simulated time.
 *
 * Rank 0's side is real: the real dispatcher sends and receives here.  The workers,
 * including rank 0's own, are a few numbers each.  A worker computes its tasks one after
 * another, at a rate of its own, and sends each result at once; STOP makes it drop its
 * current task and answer STOPPED.
 *
 * Time advances in two ways only: by what rank 0 computes between
 * transport_simulated_begin and _end, read from the clock, and by
 * transport_simulated_wait. Messages pass rank 0's link one after another in each
 * direction, at its bandwidth, and then take the latency.  A message is sent at the
 * simulated time of the call.
 */
#ifndef RIBOGRID_DISPATCHER_SIMULATE_TRANSPORT_SIMULATED_H
#define RIBOGRID_DISPATCHER_SIMULATE_TRANSPORT_SIMULATED_H

#include "dispatcher/transport/transport.h"
#include "worker/worker.h"

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
    const job_t *job;      /* gives the tasks' costs */
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

#endif
