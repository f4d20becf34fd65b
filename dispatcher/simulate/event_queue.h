/*
 * event_queue.h - what happens in simulated time, the earliest first.
 */
#ifndef RIBOGRID_DISPATCHER_SIMULATE_EVENT_QUEUE_H
#define RIBOGRID_DISPATCHER_SIMULATE_EVENT_QUEUE_H

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double at;    /* seconds */
    int64_t turn; /* set by the queue: of two at one time, the one put in first */
    int rank;
    int kind;
    buf_t data;
} event_t;

/* Zeroed: empty. A heap. */
typedef struct {
    event_t *items; /* [n] */
    size_t n, capacity;
    int64_t n_turns;
} event_queue_t;

/* Put an event in; its data is the queue's from here. @return ST_OK or ST_ENOMEM (the
 * data is freed) */
status_t event_queue_push(event_queue_t *q, event_t event) MUST_CHECK;

/* @return the earliest event, or NULL */
const event_t *event_queue_first(const event_queue_t *q);

/* Take the earliest event; its data is the caller's. @return whether there was one */
bool event_queue_pop(event_queue_t *q, event_t *out);

void event_queue_free(event_queue_t *q);

#endif
