/*
 * batch_loop.h - a device thread's work on free tasks: batch after batch, until a stop.
 */
#ifndef RIBOGRID_WORKER_BATCH_LOOP_H
#define RIBOGRID_WORKER_BATCH_LOOP_H

#include "worker/mailbox.h"

/*
 * Compute what the mailbox is given, and deliver the results.
 *
 * A lost GPU is replaced by the CPU, once; a batch without memory is followed by smaller
 * ones, in the end by the CPU.  The tasks on the device and those that wait are dropped,
 * and the job is released and prepared again.
 *
 * @return ST_OK after a stop, or the error that ended it (logged); what was finished
 * before is delivered in any case
 */
status_t batch_loop(mailbox_t *mail, const worker_opts_t *opts) MUST_CHECK;

#endif
