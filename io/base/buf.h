/*
 * buf.h - a growable run of bytes.
 *
 * A zeroed buf_t is an empty one.  buf_free leaves it empty and ready for use again.
 */
#ifndef RIBOGRID_IO_BASE_BUF_H
#define RIBOGRID_IO_BASE_BUF_H

#include "io/base/status.h"

#include <stddef.h>

typedef struct {
    unsigned char *data;
    size_t len;      /* bytes in use */
    size_t capacity; /* bytes held */
} buf_t;

/* Make room for `more` bytes after those in use. @return ST_OK or ST_ENOMEM (logged) */
status_t buf_reserve(buf_t *buf, size_t more) MUST_CHECK;

/* Append len bytes. @return ST_OK or ST_ENOMEM (logged) */
status_t buf_append(buf_t *buf, const void *data, size_t len) MUST_CHECK;

/* Append formatted text, without a final NUL. @return ST_OK or ST_ENOMEM (logged) */
status_t buf_printf(buf_t *buf, const char *fmt, ...) MUST_CHECK
    __attribute__((format(printf, 2, 3)));

/* Give the memory back. */
void buf_free(buf_t *buf);

#endif
