/*
 * event_queue.h - events in simulated time, the earliest first.
 */
#ifndef RIBOGRID_DISPATCHER_SIMULATE_EVENT_QUEUE_H
#define RIBOGRID_DISPATCHER_SIMULATE_EVENT_QUEUE_H

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double at;      /* seconds */
    int64_t number; /* set by the queue; the lower one is first on a tie in time */
    int rank;
    int kind;
    buf_t data;
} event_t;

/* A heap. Zeroed: empty. */
typedef struct {
    event_t *items; /* [n] */
    size_t n, capacity;
    int64_t n_pushed;
} event_queue_t;

/* Add an event; takes its data over, and frees it on failure.
 * @return ST_OK or ST_ENOMEM */
status_t event_queue_push(event_queue_t *q, event_t event) MUST_CHECK;

/* @return the earliest event, or NULL */
const event_t *event_queue_first(const event_queue_t *q);

/* Take the earliest event; its data is the caller's. @return whether there was one */
bool event_queue_pop(event_queue_t *q, event_t *out);

void event_queue_free(event_queue_t *q);

#endif
