/*
 * message_queue.c - messages in order, first in, first out.
 */
#include "dispatcher/transport/transport.h"

status_t message_queue_push(message_queue_t *q, int source, int tag, buf_t *data)
{
    const message_t message = {source, tag, *data};
    status_t st = fifo_push(&q->items, &message, sizeof(message));

    if (st != ST_OK)
        buf_free(data);
    *data = (buf_t){0};
    return st;
}

bool message_queue_pop(message_queue_t *q, message_t *out)
{
    return fifo_pop(&q->items, out, sizeof(*out));
}

void message_queue_free(message_queue_t *q)
{
    message_t m;

    while (message_queue_pop(q, &m))
        buf_free(&m.data);
    fifo_free(&q->items);
}
