/*
 * refine_queue.c - an array per class, from whose front entries are taken.
 */
#include "kernels/mesh/refine/refine_queue.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

status_t refine_queue_create(refine_queue_t *q)
{
    *q = (refine_queue_t){.lowest = REFINE_CLASSES};
    q->classes = calloc(REFINE_CLASSES, sizeof(*q->classes));
    return q->classes != NULL ? ST_OK : log_nomem("a mesh");
}

void refine_queue_free(refine_queue_t *q)
{
    for (int k = 0; q->classes != NULL && k < REFINE_CLASSES; k++)
        free(q->classes[k].entry);
    free(q->classes);
    *q = (refine_queue_t){.classes = NULL};
}

/* Make place behind the last entry: at the front, or by more memory. */
static status_t grow(refine_class_t *c)
{
    const int64_t n = c->end - c->begin, capacity = 2 * c->capacity + 64;
    refine_entry_t *larger;

    if (c->begin > c->capacity / 2) {
        memmove(c->entry, c->entry + c->begin, (size_t)n * sizeof(*c->entry));
        c->begin = 0;
        c->end = n;
        return ST_OK;
    }
    if ((larger = realloc(c->entry, (size_t)capacity * sizeof(*larger))) == NULL)
        return log_nomem("a mesh");
    c->entry = larger;
    c->capacity = capacity;
    return ST_OK;
}

status_t refine_queue_push(refine_queue_t *q, uint32_t key, int32_t tri, uint32_t version)
{
    const int number = (int)(key >> REFINE_KEY_SHIFT);
    refine_class_t *c = &q->classes[number];

    if (c->end == c->capacity) {
        const status_t st = grow(c);

        if (st != ST_OK)
            return st;
    }
    c->entry[c->end++] = (refine_entry_t){tri, version};
    if (number < q->lowest)
        q->lowest = number;
    return ST_OK;
}

refine_class_t *refine_queue_lowest(refine_queue_t *q)
{
    while (q->lowest < REFINE_CLASSES &&
           q->classes[q->lowest].begin == q->classes[q->lowest].end)
        q->lowest++;
    return q->lowest < REFINE_CLASSES ? &q->classes[q->lowest] : NULL;
}
