/*
 * rg_allocator.c - memory for the arrays of results.
 */
#include "library/rg_allocator.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* From here on, pages are large, so that they are touched for the first time faster. */
enum { LARGE_BYTES = 4 << 20 };

static void *take(const rg_allocator_t *m, size_t bytes)
{
    if (m->allocate != NULL)
        return m->allocate(m->arg, bytes);
    return bytes >= LARGE_BYTES ? buf_alloc_pages(bytes) : malloc(bytes);
}

status_t rg_allocator_take(const rg_allocator_t *m, size_t bytes, const char *what,
                           void **out)
{
    void *taken = take(m, bytes > 0 ? bytes : 1);

    if (taken == NULL)
        return log_nomem(what);
    *out = taken;
    return ST_OK;
}

status_t rg_allocator_move(const rg_allocator_t *m, size_t bytes, const char *what,
                           void **array)
{
    void *moved = NULL;
    status_t st;

    if (m->allocate == NULL || *array == NULL)
        return ST_OK;
    if ((st = rg_allocator_take(m, bytes, what, &moved)) != ST_OK)
        return st;
    memcpy(moved, *array, bytes);
    free(*array);
    *array = moved;
    return ST_OK;
}

void rg_allocator_free(const rg_allocator_t *m, void *taken)
{
    if (m->allocate == NULL)
        free(taken);
    else if (taken != NULL)
        m->release(m->arg, taken);
}

status_t rg_allocator_view(const rg_allocator_t *m, const void *array, size_t bytes,
                           const char *what, const void **out)
{
    void *copy = NULL;
    status_t st;

    *out = array;
    if (m->allocate == NULL || array == NULL)
        return ST_OK;
    st = rg_allocator_take(m, bytes, what, &copy);
    if (st == ST_OK)
        memcpy(copy, array, bytes);
    *out = copy;
    return st;
}

void rg_allocator_end_view(const rg_allocator_t *m, const void *view)
{
    if (m->allocate != NULL)
        rg_allocator_free(m, (void *)(uintptr_t)view);
}
