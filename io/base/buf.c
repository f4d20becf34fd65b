/*
 * buf.c - growth by half, so that appending takes constant time on average.
 */
#include "io/base/buf.h"

#include "io/base/logmsg.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 256, LARGE_PAGE_BYTES = 1 << 21 };

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Whole pages, because a mapping that is cut in two cannot grow without a copy. */
void buf_want_large_pages(void *data, size_t bytes)
{
    const uintptr_t first = (uintptr_t)data / page_bytes() * page_bytes();

    if (bytes >= LARGE_PAGE_BYTES) /* it works without, too */
        (void)madvise((void *)first, (uintptr_t)data + bytes - first, MADV_HUGEPAGE);
}

void *buf_alloc_pages(size_t bytes)
{
    const size_t page = bytes < LARGE_PAGE_BYTES ? page_bytes() : LARGE_PAGE_BYTES;
    const size_t size = (bytes / page + 1) * page;
    void *data = aligned_alloc(page, size);

    if (data != NULL)
        buf_want_large_pages(data, size);
    return data;
}

status_t buf_reserve(buf_t *buf, size_t more)
{
    size_t need = buf->len + more;
    size_t capacity = buf->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : buf->capacity;
    unsigned char *data;

    if (need < more)
        return log_nomem("a buffer");
    if (need <= buf->capacity)
        return ST_OK;
    while (capacity < need)
        capacity = capacity > SIZE_MAX / 2 ? need : capacity + capacity / 2;
    data = realloc(buf->data, capacity);
    if (data == NULL)
        return log_nomem("a buffer");
    buf->data = data;
    buf->capacity = capacity;
    buf_want_large_pages(data, capacity);
    return ST_OK;
}

status_t buf_append(buf_t *buf, const void *data, size_t len)
{
    status_t st = buf_reserve(buf, len);

    if (st != ST_OK || len == 0)
        return st;
    memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    return ST_OK;
}

status_t buf_vprintf(buf_t *buf, const char *fmt, va_list args)
{
    va_list again;
    status_t st;
    int len;

    va_copy(again, args);
    len = vsnprintf(NULL, 0, fmt, args);
    if ((st = buf_reserve(buf, (size_t)len + 1)) == ST_OK) { /* vsnprintf adds a NUL */
        vsnprintf((char *)buf->data + buf->len, (size_t)len + 1, fmt, again);
        buf->len += (size_t)len;
    }
    va_end(again);
    return st;
}

status_t buf_printf(buf_t *buf, const char *fmt, ...)
{
    va_list args;
    status_t st;

    va_start(args, fmt);
    st = buf_vprintf(buf, fmt, args);
    va_end(args);
    return st;
}

void buf_free(buf_t *buf)
{
    free(buf->data);
    *buf = (buf_t){0};
}
