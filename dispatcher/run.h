/*
 * run.h - runs a job from its input to its output, on every rank of the transport.
 */
#pragma once

#include "dispatcher/transport/transport.h"
#include "worker/bind.h"
#include "worker/job.h"

/*
 * Run; every rank calls it, and the job is destroyed at the end.
 *
 * SIGTERM, SIGINT and SIGUSR1 stop the run, and finished work is kept.  A gang ends after
 * the current step, with a checkpoint; a second signal ends it at once.  A rank whose
 * device does not stop within RUN_STOP_SECONDS, and rank 0 where another rank does not
 * answer in twice that time, note it in the transport; the result is made all the same.
 *
 * @param job  whose options have a binding: this rank's device and threads
 * @return the run's status, the same on every rank
 */
status_t run_job(job_t *job, transport_t *t) MUST_CHECK;

/* Stopping takes at most twice this. */
enum { RUN_STOP_SECONDS = 4 };

/* How long the main thread waits when there is nothing to do: it starts with the minimum
 * and doubles up to the maximum.  The device thread ends the wait when it has something.
 */
enum { RUN_WAIT_MIN_US = 50, RUN_WAIT_MAX_US = 1000 };
