/*
 * run.h - runs a job from its input to its output, on every rank of the transport.
 */
#ifndef RIBOGRID_DISPATCHER_RUN_H
#define RIBOGRID_DISPATCHER_RUN_H

#include "dispatcher/transport/transport.h"
#include "worker/bind.h"
#include "worker/job.h"

/*
 * Run; every rank calls it.  SIGTERM, SIGINT and SIGUSR1 stop it, with what is finished
 * kept.  A rank whose device does not come to an end within RUN_STOP_SECONDS ends its
 * process.
 *
 * @param binding  this rank's device and threads
 * @return the run's status, the same on every rank
 */
status_t run_job(const job_ops_t *ops, void *job, transport_t *t,
                 const binding_t *binding) MUST_CHECK;

/* A stop takes at most twice this. */
enum { RUN_STOP_SECONDS = 4 };

/* How long the main thread sleeps when there is nothing to do: longer and longer. */
enum { RUN_SLEEP_MIN_US = 50, RUN_SLEEP_MAX_US = 1000 };

#endif
