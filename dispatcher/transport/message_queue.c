/*
 * message_queue.c - messages in order, first in, first out.
 */
#include "dispatcher/transport/transport.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

status_t message_queue_push(message_queue_t *q, int source, int tag, buf_t *data)
{
    /* rarely enough that the cost per message does not grow with the queue */
    if (q->first + q->n == q->capacity && q->first > q->capacity / 8) {
        memmove(q->items, q->items + q->first, q->n * sizeof(*q->items));
        q->first = 0;
    }
    if (q->first + q->n == q->capacity) {
        size_t capacity = q->capacity * 2 + 16;
        message_t *items = realloc(q->items, capacity * sizeof(*items));

        if (items == NULL) {
            buf_free(data);
            return log_nomem("a message");
        }
        q->items = items;
        q->capacity = capacity;
    }
    q->items[q->first + q->n++] = (message_t){source, tag, *data};
    *data = (buf_t){0};
    return ST_OK;
}

bool message_queue_pop(message_queue_t *q, message_t *out)
{
    if (q->n == 0)
        return false;
    *out = q->items[q->first++];
    if (--q->n == 0)
        q->first = 0;
    return true;
}

void message_queue_free(message_queue_t *q)
{
    message_t m;

    while (message_queue_pop(q, &m))
        buf_free(&m.data);
    free(q->items);
    *q = (message_queue_t){0};
}
