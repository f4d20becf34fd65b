/*
 * protocol.h - the messages between rank 0 (the dispatcher) and the workers.
 *
 * Free tasks: GRANT, RESULT, GRANT, RESULT ... then STOP -> STOPPING, STOPPED -> EXIT.
 * A gang: RESULT for each task of each checkpoint, FINISHED, then STOP -> STOPPING,
 * STOPPED -> EXIT.
 * A gang that one rank runs (gang_relay.h): STATE for each task of the last checkpoint,
 * if there is one, and BEGIN; then ORDERS to it, and STEPS from it, besides these.
 *
 * A worker that cannot go on sends FAILED; after that it takes part in the end only.  A
 * worker that lost its device and continues with the CPU sends LOST: rank 0 puts its
 * tasks back and answers with an empty GRANT, and the worker drops all grants that arrive
 * before that answer.  A worker that is silent for too long is sent HANGS, and answers
 * LOST if its device can be given up; its tasks are put back before.
 *
 * Where several ranks keep the log, a worker sends its results to the keeper of its shard
 * (job_keeper_of), which stores them and then tells rank 0 by STORED; results for rank
 * 0's own log go to rank 0.  After STOP a rank sends its keeper LAST behind its last
 * results, and a keeper sends STOPPED once it has LAST of all its ranks and its log is on
 * the disk.  When all have stopped and all tasks are finished, rank 0 has the keepers
 * copy their records into its own log by COPY, and they answer COPIED.
 *
 * A device whose server has it leave sends RETREAT; it is granted nothing more, and when
 * it holds no task and runs no gang it gets STOP, and after STOPPED, EXIT and LEAVE.
 *
 * A task may be granted to several workers.  The first result is taken, unless several
 * are compared (answers.c): then CHECK has a worker compute a task once more.
 *
 * All ranks run one program on machines of one byte order, so structs are sent as they
 * are.  Where other ranks are not trusted (transport->drop), message_refusal looks at
 * each message before it is used.
 */
#pragma once

#include "dispatcher/transport/transport.h"
#include "worker/worker.h"

typedef enum {
    TAG_GRANT = 1,    /* to a worker: int64 task numbers; none: the answer to LOST */
    TAG_CHECK,        /* to a worker: worker_check_t; repeated */
    TAG_RESULT,       /* from a worker: result_head_t, the packed result; repeated */
    TAG_STORED,       /* from a keeper: stored_t; repeated */
    TAG_UNSTORED,     /* from a keeper: int32 status; its log failed, the run ends */
    TAG_COPY,         /* to a keeper: int64, where in rank 0's log its records go */
    TAG_COPIED,       /* from a keeper: reslog_copied_t, where they are; repeated */
    TAG_LAST,         /* to a keeper: empty, no result follows */
    TAG_LOST,         /* from a worker: double, a guess of its rate from now on */
    TAG_HANGS,        /* to a worker: empty; give up the device, and answer LOST */
    TAG_FINISHED,     /* from a gang's worker: worker_finish_t */
    TAG_STATE,        /* to the rank that runs a gang: gang_state_t, the record */
    TAG_BEGIN,        /* to it: int64, the version of these; -1: there were none */
    TAG_ORDERS,       /* to it: gang_orders_t */
    TAG_STEPS,        /* from it: int64, steps done */
    TAG_FAILED,       /* from a worker: int32 status; its tasks are lost */
    TAG_RETREAT,      /* from a lent device: retreat_order_t, what its server orders */
    TAG_STOP_REQUEST, /* from any rank: int32, how many signals it has received */
    TAG_STOP,         /* to all: stop computing */
    TAG_STOPPING,     /* from all: empty, the answer to STOP, at once */
    TAG_STOPPED,      /* from all: stopped_t; the worker's last message */
    TAG_EXIT,         /* to all: exit_t, the output was made */
    TAG_LEAVING,      /* to 0: empty, the answer to EXIT, at once */
    TAG_LEAVE         /* to all: empty, all have answered: leave the transport together */
} tag_t;

typedef struct {
    int64_t task, version; /* version: a free task's job_how_t */
    double rate;           /* the worker's, cost per second */
    uint64_t len;          /* of the packed result */
} result_head_t;

/* A result that is in a keeper's log. */
typedef struct {
    int64_t task, worker;
    double rate; /* as in the result's head */
} stored_t;

typedef struct {
    int32_t order; /* lent_order_t */
    int32_t to;    /* the rank at which a gang is to go on; 0: whichever comes next */
} retreat_order_t;

/* A task of a checkpoint. */
typedef struct {
    int64_t task, version;
} gang_state_t;

/* worker_orders_t */
typedef struct {
    int64_t stop, checkpoint, kept;
} gang_orders_t;

typedef struct {
    worker_stats_t stats;
    int64_t in_collective; /* its thread waits in a collective that will not complete */
    int64_t log_bytes;     /* of records in its shard of the log; 0: it keeps none */
} stopped_t;

typedef struct {
    int32_t status;     /* of the run */
    int32_t incomplete; /* some rank is in such a collective */
} exit_t;

/* Small results share a message of up to this size, because a message costs more than
 * they do. */
enum { RESULTS_BYTES = 1 << 16 };

/* Send a copy of some data, [len] bytes. @return ST_OK, ST_ENOMEM or the transport's */
status_t message_send(transport_t *t, int rank, tag_t tag, const void *data,
                      size_t len) MUST_CHECK;

/*
 * Check a message of a rank that is not trusted: its tag, its length, and numbers of
 * tasks.  What a result holds is checked later.
 *
 * @param to_client  it is for rank 0, from another rank; else for that one
 * @return what is wrong: "sent ..."; NULL: nothing
 */
const char *message_refusal(const job_t *job, const message_t *m, bool to_client);

/* Take the result at `at` out of a message of results; one that fills the message is not
 * copied. @param out  empty; a result_head_t, then the result @return ST_OK or ST_ENOMEM
 */
status_t result_take(message_t *m, size_t at, const result_head_t *head,
                     buf_t *out) MUST_CHECK;
