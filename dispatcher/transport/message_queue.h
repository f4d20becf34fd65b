/*
 * message_queue.h - messages in order, first in, first out.
 */
#ifndef RIBOGRID_DISPATCHER_TRANSPORT_MESSAGE_QUEUE_H
#define RIBOGRID_DISPATCHER_TRANSPORT_MESSAGE_QUEUE_H

#include "dispatcher/transport/transport.h"

/* Zeroed: empty. */
typedef struct {
    message_t *items;
    size_t first, n, capacity;
} message_queue_t;

/* Append; takes the data over, and frees it on failure. @return ST_OK or ST_ENOMEM */
status_t message_queue_push(message_queue_t *q, int source, int tag,
                            buf_t *data) MUST_CHECK;

/* Take the oldest. @return whether there was one */
bool message_queue_pop(message_queue_t *q, message_t *out);

void message_queue_free(message_queue_t *q);

#endif
