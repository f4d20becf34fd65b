/*
 * rg_memory.c - memory for the arrays of results.
 */
#include "library/rg_memory.h"

#include "io/base/logmsg.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

status_t rg_memory_take(const rg_memory_t *m, size_t bytes, const char *what, void **out)
{
    const size_t some = bytes > 0 ? bytes : 1;
    void *taken = m->allocate != NULL ? m->allocate(m->arg, some) : malloc(some);

    if (taken == NULL)
        return log_nomem(what);
    *out = taken;
    return ST_OK;
}

status_t rg_memory_move(const rg_memory_t *m, size_t bytes, const char *what,
                        void **array)
{
    void *moved = NULL;
    status_t st;

    if (m->allocate == NULL || *array == NULL)
        return ST_OK;
    if ((st = rg_memory_take(m, bytes, what, &moved)) != ST_OK)
        return st;
    memcpy(moved, *array, bytes);
    free(*array);
    *array = moved;
    return ST_OK;
}

void rg_memory_free(const rg_memory_t *m, void *taken)
{
    if (m->allocate == NULL)
        free(taken);
    else if (taken != NULL)
        m->release(m->arg, taken);
}

status_t rg_memory_view(const rg_memory_t *m, const void *array, size_t bytes,
                        const char *what, const void **out)
{
    void *copy = NULL;
    status_t st;

    *out = array;
    if (m->allocate == NULL || array == NULL)
        return ST_OK;
    st = rg_memory_take(m, bytes, what, &copy);
    if (st == ST_OK)
        memcpy(copy, array, bytes);
    *out = copy;
    return st;
}

void rg_memory_end_view(const rg_memory_t *m, const void *view)
{
    if (m->allocate != NULL)
        rg_memory_free(m, (void *)(uintptr_t)view);
}
