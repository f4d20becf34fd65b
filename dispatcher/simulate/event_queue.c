/*
 * event_queue.c - events in simulated time, the earliest first.
 */
#include "dispatcher/simulate/simulated_run.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

static bool earlier(const event_t *a, const event_t *b)
{
    return a->at < b->at || (a->at <= b->at && a->number < b->number);
}

status_t event_queue_push(event_queue_t *q, event_t event)
{
    size_t i = q->n;

    if (q->n == q->capacity) {
        size_t capacity = q->capacity * 2 + 64;
        event_t *items = realloc(q->items, capacity * sizeof(*items));

        if (items == NULL) {
            buf_free(&event.data);
            return log_nomem("simulated events");
        }
        q->items = items;
        q->capacity = capacity;
    }
    event.number = q->n_pushed++;
    for (q->n++; i > 0 && earlier(&event, &q->items[(i - 1) / 2]); i = (i - 1) / 2)
        q->items[i] = q->items[(i - 1) / 2];
    q->items[i] = event;
    return ST_OK;
}

const event_t *event_queue_first(const event_queue_t *q)
{
    return q->n > 0 ? &q->items[0] : NULL;
}

bool event_queue_pop(event_queue_t *q, event_t *out)
{
    const event_t *last;
    size_t i = 0;

    if (q->n == 0)
        return false;
    *out = q->items[0];
    last = &q->items[--q->n];
    for (size_t child = 1; child < q->n; child = 2 * i + 1) {
        if (child + 1 < q->n && earlier(&q->items[child + 1], &q->items[child]))
            child++;
        if (!earlier(&q->items[child], last))
            break;
        q->items[i] = q->items[child];
        i = child;
    }
    q->items[i] = *last;
    return true;
}

void event_queue_free(event_queue_t *q)
{
    for (size_t i = 0; i < q->n; i++)
        buf_free(&q->items[i].data);
    free(q->items);
    *q = (event_queue_t){0};
}
