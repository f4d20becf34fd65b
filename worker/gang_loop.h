/*
 * gang_loop.h - a device thread's work on a gang job: step after step, with checkpoints.
 */
#ifndef RIBOGRID_WORKER_GANG_LOOP_H
#define RIBOGRID_WORKER_GANG_LOOP_H

#include "worker/mailbox.h"

/*
 * Compute steps in lockstep with the other ranks until the job is over or rank 0's orders
 * end it; then save the last state.
 *
 * Before each step the ranks agree, by one small allreduce, whether to save a checkpoint
 * and whether to end.  Saved tasks are delivered as results; the version is the number of
 * steps done.
 *
 * @return ST_OK at the end, or the error that ended it (logged); ST_ESTOPPED if cancelled
 */
status_t gang_loop(mailbox_t *mail, const worker_opts_t *opts) MUST_CHECK;

#endif
