/*
 * protocol.h - the messages between rank 0 (the dispatcher) and the workers.
 *
 * GRANT tasks -> RESULTS of tasks ... STOP -> BYE -> EXIT.  A worker that cannot go on
 * says FAILED and takes part in nothing but the end.  All ranks run one program on
 * machines of one byte order, so that structs travel as they are.
 */
#ifndef RIBOGRID_DISPATCHER_PROTOCOL_H
#define RIBOGRID_DISPATCHER_PROTOCOL_H

#include "worker/worker.h"

typedef enum {
    TAG_GRANT = 1, /* to a worker: int64 task numbers */
    TAG_RESULT,    /* from one: result_head_t, then the packed result; again and again */
    TAG_FAILED,    /* from one: int32 status; its tasks are lost */
    TAG_ASKED,     /* from any rank: it was asked to stop (a signal) */
    TAG_STOP,      /* to all: compute no more */
    TAG_BYE,       /* from all: worker_stats_t; nothing follows */
    TAG_EXIT       /* to all: int32 status of the run */
} tag_t;

typedef struct {
    int64_t task, version; /* version: 0 for free tasks */
    double rate;           /* the worker's, cost per second */
    uint64_t len;          /* of the packed result */
} result_head_t;

/* Small results share a message up to this size: a message costs more than they do. */
enum { RESULTS_BYTES = 1 << 16 };

#endif
