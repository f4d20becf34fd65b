/*
 * rg_allocator.h - memory for the arrays of results, by functions of the caller if the
 * context has such.
 *
 * A result keeps a copy, as it may outlive its context.
 */
#pragma once

#include "io/base/status.h"

#include <stddef.h>

typedef struct {
    void *(*allocate)(void *arg, size_t bytes); /* NULL: malloc and free */
    void (*release)(void *arg, void *memory);
    void *arg;
} rg_allocator_t;

/* @param what  for the message "out of memory for ..." @return ST_OK or ST_ENOMEM
 *        (logged) */
status_t rg_allocator_take(const rg_allocator_t *memory, size_t bytes, const char *what,
                           void **out) MUST_CHECK;

/*
 * Make an array of malloc one of this memory: copy it, unless it is malloc's.
 *
 * @param array  NULL: there is none; in and out
 * @return ST_OK or ST_ENOMEM (logged): it is still malloc's
 */
status_t rg_allocator_move(const rg_allocator_t *memory, size_t bytes, const char *what,
                           void **array) MUST_CHECK;

/* Free what was taken.  Takes NULL. */
void rg_allocator_free(const rg_allocator_t *memory, void *taken);

/*
 * Get an array that something else owns for the caller to read: that array itself, or
 * where the caller has functions, a copy in its memory.
 *
 * @param array  alive as long as the view
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t rg_allocator_view(const rg_allocator_t *memory, const void *array, size_t bytes,
                           const char *what, const void **out) MUST_CHECK;

void rg_allocator_end_view(const rg_allocator_t *memory, const void *view);
