/*
 * fifo.c - a buffer that items are taken from at its front.
 */
#include "io/base/fifo.h"

#include <string.h>

/* Items move to the front rarely enough that the cost of each does not grow with the
 * number that wait. */
status_t fifo_push(fifo_t *f, const void *items, size_t bytes)
{
    if (f->buf.len + bytes > f->buf.capacity && f->first > f->buf.len / 8) {
        f->buf.len -= f->first;
        memmove(f->buf.data, f->buf.data + f->first, f->buf.len);
        f->first = 0;
    }
    return buf_append(&f->buf, items, bytes);
}

void fifo_drop(fifo_t *f, size_t bytes)
{
    f->first += bytes;
    if (f->first == f->buf.len)
        f->first = f->buf.len = 0;
}

bool fifo_pop(fifo_t *f, void *out, size_t bytes)
{
    if (fifo_len(f) == 0)
        return false;
    memcpy(out, fifo_data(f), bytes);
    fifo_drop(f, bytes);
    return true;
}

void fifo_free(fifo_t *f)
{
    buf_free(&f->buf);
    f->first = 0;
}
