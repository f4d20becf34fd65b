/*
 * gang_port.h - the gang over MPI, for a device thread that must not call MPI itself.
 *
 * The device thread's calls become requests; the rank's main thread (the owner) takes
 * each request, has the transport start it, tests it until it is complete, and reports
 * that.  Requests that were begun and not awaited queue up; the owner takes one at a
 * time, in their order.  Both sides spin for a short while between requests, so that
 * chains of small operations are fast; after that they sleep and wake each other.
 */
#pragma once

#include "kernels/gang/gang.h"
#include "worker/notifier.h"

/* How long both sides spin with sched_yield after a request. */
enum { GANG_PORT_SPIN_US = 200 };

typedef struct gang_port gang_port_t;

/* @param notifier  rung when a request is posted; borrowed @return ST_OK or ST_ENOMEM */
status_t gang_port_create(int rank, int n_ranks, notifier_t *notifier,
                          gang_port_t **out) MUST_CHECK;

/* @return the device thread's side, the port's */
gang_t *gang_port_gang(gang_port_t *p);

/* [owner] Take the next request, after the last one was completed. @return whether there
 * was one; it stays valid until gang_port_complete */
bool gang_port_take(gang_port_t *p, const collective_t **out);

/* [owner] Complete the request that was taken. @param st  what the device thread's call
 * returns; after an error, those of later requests too */
void gang_port_complete(gang_port_t *p, status_t st);

/* Takes NULL. */
void gang_port_destroy(gang_port_t *p);
