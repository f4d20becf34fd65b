/*
 * buf.h - a growable array of bytes.
 *
 * A zeroed buf_t is empty.  After buf_free it is empty again and may be reused.
 */
#pragma once

#include "io/base/status.h"

#include <stdarg.h>
#include <stddef.h>

typedef struct {
    unsigned char *data;
    size_t len;      /* bytes in use */
    size_t capacity; /* bytes allocated */
} buf_t;

/* Allocate capacity for `more` bytes after those in use. @return ST_OK or ST_ENOMEM
 * (logged) */
status_t buf_reserve(buf_t *buf, size_t more) MUST_CHECK;

/* Append len bytes. @return ST_OK or ST_ENOMEM (logged) */
status_t buf_append(buf_t *buf, const void *data, size_t len) MUST_CHECK;

/* Append formatted text, without a final NUL. @return ST_OK or ST_ENOMEM (logged) */
status_t buf_printf(buf_t *buf, const char *fmt, ...) MUST_CHECK
    __attribute__((format(printf, 2, 3)));
status_t buf_vprintf(buf_t *buf, const char *fmt, va_list args) MUST_CHECK
    __attribute__((format(printf, 2, 0)));

/* Ask for large pages in memory that is not touched yet, a buffer's or any other: their
 * first touch is rarer. */
void buf_want_large_pages(void *data, size_t bytes);

/* Allocate whole pages, large ones if there is enough for one.  They are not cleared, so
 * that threads which use them touch them first. @return NULL: out of memory (not logged);
 * to be freed with free */
void *buf_alloc_pages(size_t bytes);

/* Free the memory. */
void buf_free(buf_t *buf);
