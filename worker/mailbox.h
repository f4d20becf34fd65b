/*
 * mailbox.h - what a rank's device thread and its owner, the main thread, exchange: tasks
 * in, results out, stop, statistics.
 *
 * One lock guards it all; functions take it.  [device] marks the calls of the device
 * thread; the owner's are those of worker.h.
 */
#pragma once

#include "io/base/fifo.h"
#include "worker/notifier.h"
#include "worker/worker.h"

#include <pthread.h>

typedef enum {
    DEVICE_WORKS,
    DEVICE_LOST,    /* tasks are dropped while another device is prepared */
    DEVICE_REPLACED /* and until the owner calls worker_resume */
} device_state_t;

typedef struct {
    pthread_mutex_t lock; /* guards all but the notifier */
    pthread_cond_t wake;  /* the device thread's */
    pthread_cond_t end;   /* the owner's, when it waits for the thread's last result */
    notifier_t *notifier; /* the owner's; borrowed */
    bool stop, ended;
    status_t state;
    device_state_t device;
    bool hangs;        /* the device: it is to be given up */
    fifo_t inbox;      /* of int64_t: tasks that wait */
    double inbox_cost; /* of all of them */
    fifo_t checks;     /* of worker_check_t */
    fifo_t outbox;     /* of worker_result_t */
    worker_stats_t stats;
    worker_orders_t orders;
    worker_finish_t finish;
    bool finished;
} mailbox_t;

void mailbox_begin(mailbox_t *m, notifier_t *notifier, double rate);

/* [device] Take the oldest check. @return whether there was one */
bool mailbox_take_check(mailbox_t *m, worker_check_t *out);

/* [device] Pass results on; takes their data over, on failure too.
 * @return ST_OK or ST_ENOMEM */
status_t mailbox_deliver(mailbox_t *m, worker_result_t *results, int n) MUST_CHECK;

/* [device] Remove the n oldest tasks. @param cost  of all of them */
void mailbox_drop(mailbox_t *m, int n, double cost);

/* @return whether the device thread has to give up its device, and has not yet */
bool mailbox_hangs(mailbox_t *m);

/* [device] Wait until there are tasks or checks, a stop, or a device to give up. @return
 * whether to stop */
bool mailbox_wait(mailbox_t *m);

bool mailbox_is_stopped(mailbox_t *m);

/* [device] The device is lost: forget the tasks that wait, and drop new ones. */
void mailbox_lose_device(mailbox_t *m);

/* [device] The device, or another one, is ready again. @param rate  a guess
 * @param lost  whether it is another one, because the first was lost */
void mailbox_replace_device(mailbox_t *m, double rate, bool lost);

/* [device] The thread computes and delivers nothing from here on. */
void mailbox_end(mailbox_t *m, status_t st);

void mailbox_free(mailbox_t *m);

/* Leave the owner's bytes free in front of a result. @return ST_OK or ST_ENOMEM */
static inline status_t worker_result_begin(worker_result_t *r, const worker_opts_t *opts)
{
    status_t st = buf_reserve(&r->data, opts->head_bytes);

    if (st == ST_OK)
        r->data.len = opts->head_bytes;
    return st;
}

/* batch_loop.c: a device thread's work on free tasks: batch after batch, until a stop. */

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

/* gang_loop.c: a device thread's work on a gang job: step after step, with checkpoints.
 */

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
