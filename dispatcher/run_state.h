/*
 * run_state.h - the state of a run on one rank, shared by the files run*.c.
 */
#pragma once

#include "dispatcher/dispatcher.h"
#include "dispatcher/keeper.h"
#include "dispatcher/protocol.h"
#include "dispatcher/run.h"
#include "kernels/gang/gang_nccl.h"
#include "worker/gang_port.h"

/* What every rank knows of every other one. */
typedef struct {
    char host[BIND_HOST_BYTES];
    char device[DEVICE_NAME_BYTES];
    char kernel[32];
    int n_threads;
    int32_t pid;
    bool is_visible;   /* its process, from this one */
    bool has_answered; /* a request to stop */
    bool is_leaving;   /* it knows that the output was made */
    double guess;      /* of the worker's rate; < 0: there is no worker */
    int64_t n_others;  /* other runs that compute on the device, as far as is known */
} rank_info_t;

/* A gang's communication on this rank. */
typedef struct {
    gang_port_t *port; /* NULL: one rank */
    gang_t *control;   /* in host memory: the port's, or a gang of one rank */
    bool has_met;      /* takes_nccl and id are known */
    bool takes_nccl;
    gang_nccl_id_t id;
    status_t joined;  /* what nccl's creation returned */
    gang_t *nccl;     /* between GPUs; NULL: not used */
    bool is_relayed;  /* one rank runs it */
    int64_t n_states; /* of it that have come to this one; their version is `saved` */
    int64_t n_steps;  /* that rank 0 knows of */
    double sent_s;    /* since (clock_now_s) */
    bool is_open;     /* a collective of the transport is in progress */
    double active_s;  /* when the last one was (clock_now_s) */
    int64_t saved;    /* the version of the checkpoint that it starts from, or -1 */
} run_gang_t;

typedef struct {
    job_t *job;
    transport_t *t;
    const binding_t *binding;
    pool_t *pool;
    notifier_t notifier;   /* the main thread's */
    worker_t *worker;      /* NULL: this rank computes nothing */
    double guess;          /* of its rate */
    worker_stats_t before; /* of workers before this one */
    int32_t order_sent;    /* the last lent_order_t that rank 0 knows of */
    run_gang_t gang;
    dispatcher_t *dispatcher; /* rank 0's */
    keeper_t *keeper;         /* of a rank that keeps a shard of the log */
    int to;                   /* the rank that stores this one's results */
    rank_info_t *ranks;       /* [n_ranks] */
    int n_signals_sent;       /* signals that rank 0 knows of */
    double asked_s;           /* when the others were asked to stop, or 0 (clock_now_s) */
    bool has_lost;            /* another rank, after SIGTERM */
    bool loss_sent;           /* rank 0 knows that this rank lost its device */
    bool finish_sent, failure_sent;
    bool stuck;         /* the worker's thread did not end */
    bool is_incomplete; /* some rank is in a collective that will not complete */
    bool has_ended;     /* rank 0: the output was made, or is not */
    double ended_s;     /* ... since (clock_now_s) */
    bool over;
    status_t result;
} run_t;

/* run_lent.c: tell the server of a lent device how far the run is, and rank 0 what that
 * orders. */
status_t run_lent_look(run_t *r) MUST_CHECK;

/* run_relay.c: a gang that one rank runs (gang_relay.h), on that rank */

/* Take a message to that rank: its state, the begin, or orders. */
status_t run_relay_receive(run_t *r, const message_t *m) MUST_CHECK;
/* @return what this rank's workers have done, several where the gang came back */
worker_stats_t run_relay_stats(const run_t *r);
/* Send how far it is. */
status_t run_relay_report(run_t *r) MUST_CHECK;

/* run_gang.c */

/* Find out whether the ranks communicate through NCCL [all], and begin to join it [any
 * thread]; run_gang_begin does what of that was not done before. */
status_t run_gang_meet(run_t *r) MUST_CHECK;
void run_gang_join(run_t *r);
/* Choose how a gang communicates [all]. */
status_t run_gang_begin(run_t *r) MUST_CHECK;
/* Pass the last checkpoint from the log to all ranks' jobs [all]. */
status_t run_gang_restore(run_t *r) MUST_CHECK;
/* Begin and complete collectives for the device thread. @param busy  set if a further
 * call should follow soon */
status_t run_gang_poll(run_t *r, bool *busy) MUST_CHECK;
void run_gang_end(run_t *r);

/* run_lost.c: signals, and ranks that are lost */

/* Count signals from now on.  Before run_lost_signals is called for the first time, a
 * second one ends the process. */
void run_lost_catch_signals(void);

/* @return how many of them this process has received */
int run_lost_signals(void);
/* Find out which ranks' processes can be seen from here [all]. */
void run_lost_find_processes(run_t *r);
/* Note whether a message answers a request to stop. */
void run_lost_note_answer(run_t *r, const message_t *m);
/* After SIGTERM: find out whether a rank was lost; if so, one rank logs it, once. */
void run_lost_look(run_t *r);
/* From begin to end the handler of SIGTERM itself says how to continue [rank 0]. */
void run_lost_begin_output(const run_t *r);
void run_lost_end_output(void);

/* run_start.c: everything before the first task or step, in step with the other ranks */
status_t run_start(run_t *r) MUST_CHECK;
/* Start the worker of a rank that has a device. */
status_t run_start_worker(run_t *r) MUST_CHECK;
