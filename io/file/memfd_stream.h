/*
 * memfd_stream.h - a file in memory in which a child that reads files (child_reader.h)
 * leaves arrays for its parent, which would take too long as an answer.
 *
 * It is created before the fork.  After a failure, which is logged, all further calls on
 * the same stream do nothing; memfd_stream_end returns it.
 */
#ifndef RIBOGRID_IO_FILE_MEMFD_STREAM_H
#define RIBOGRID_IO_FILE_MEMFD_STREAM_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *file;
    const char *what; /* that is carried, for messages: "a graph" */
    bool is_written;  /* else read */
    status_t st;
} memfd_stream_t;

/* Create the file. @param out  its descriptor, or -1 @return ST_OK or ST_ENOMEM */
status_t memfd_stream_create(const char *what, int *out) MUST_CHECK;

/* Begin to write, in the child, or to read from the beginning, in the parent;
 * memfd_stream_end closes the descriptor. */
memfd_stream_t memfd_stream_write(int descriptor, const char *what);
memfd_stream_t memfd_stream_read(int descriptor, const char *what);

/* Write or read an array of n values; NULL: nothing. @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t memfd_stream_put(memfd_stream_t *c, const void *data, int64_t n,
                          size_t value_bytes);
status_t memfd_stream_get(memfd_stream_t *c, void *data, int64_t n, size_t value_bytes);

/* Write or read, as the stream was begun: one list of arrays serves both ends. */
status_t memfd_stream_pass(memfd_stream_t *c, void *data, int64_t n, size_t value_bytes);

/* Write texts with their NULs; NULL: nothing. */
status_t memfd_stream_put_texts(memfd_stream_t *c, char *const *texts, int64_t n);

/* @return the bytes that texts take with their NULs; NULL: 0 */
int64_t memfd_stream_texts_bytes(char *const *texts, int64_t n);

/* Close it. @param st  what the caller's part came to @return it, or the stream's
 * failure
 */
status_t memfd_stream_end(memfd_stream_t *c, status_t st) MUST_CHECK;

#endif
