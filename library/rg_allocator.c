/*
 * rg_allocator.c - memory for the arrays of results.
 */
#include "library/rg_allocator.h"

#include "io/base/logmsg.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

status_t rg_allocator_take(const rg_allocator_t *m, size_t bytes, const char *what,
                           void **out)
{
    const size_t some = bytes > 0 ? bytes : 1;
    void *taken = m->allocate != NULL ? m->allocate(m->arg, some) : malloc(some);

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
