/*
 * fifo.h - items in order, first in, first out.
 *
 * A zeroed fifo_t is empty.  All items of one have the same size, and sizes are given in
 * bytes.  After fifo_free it is empty again and may be reused.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>

typedef struct {
    buf_t buf;
    size_t first; /* the oldest byte */
} fifo_t;

/* Append items. @return ST_OK or ST_ENOMEM (logged) */
status_t fifo_push(fifo_t *f, const void *items, size_t bytes) MUST_CHECK;

/* Remove the oldest items, of which there are that many bytes. */
void fifo_drop(fifo_t *f, size_t bytes);

/* Take the oldest item. @return whether there was one */
bool fifo_pop(fifo_t *f, void *out, size_t bytes);

/* @return the oldest item, followed by the others, until the next push */
static inline void *fifo_data(const fifo_t *f)
{
    return f->buf.data + f->first;
}

/* @return the bytes of all items */
static inline size_t fifo_len(const fifo_t *f)
{
    return f->buf.len - f->first;
}

void fifo_free(fifo_t *f);
