/*
 * memfd_stream.h - a file in memory in which a child that reads files (child_reader.h)
 * leaves what would take too long as an answer: an object, or bytes piece by piece.
 *
 * It is created before the fork.  What is written replaces what was there; an object that
 * was read is no longer there.
 */
#pragma once

#include "io/base/arrays.h"
#include "io/base/child_reader.h"

#include <stdio.h>

/* Create the file. @param out  its descriptor, or -1 @return ST_OK or ST_ENOMEM */
status_t memfd_stream_create(const char *what, int *out) MUST_CHECK;

/* Write an object, in the child. @return ST_OK, ST_ENOMEM or ST_EIO (logged) */
status_t memfd_stream_put_object(int descriptor, const arrays_t *a,
                                 const void *object) MUST_CHECK;

/* Read it, in the parent. @param object  out: freed by the caller
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t memfd_stream_get_object(int descriptor, const arrays_t *a,
                                 void *object) MUST_CHECK;

/* Have the child answer a question by writing the object (child_fetch), and read it.
 * @return as memfd_stream_get_object, or what the child returns */
status_t memfd_stream_fetch(child_reader_t *reader, int question, int descriptor,
                            const arrays_t *a, void *object) MUST_CHECK;

/* Bytes piece by piece.  After a failure, which is logged, further calls do nothing, and
 * memfd_stream_end returns it. */
typedef struct {
    FILE *file;
    const char *what; /* for messages: "pairs" */
    status_t st;
} memfd_stream_t;

memfd_stream_t memfd_stream_write(int descriptor, const char *what);

/* @return ST_OK, ST_ENOMEM or ST_EIO */
status_t memfd_stream_put(memfd_stream_t *c, const void *data, size_t len);

/* Close it. @param st  the caller's status @return it, or the stream's failure */
status_t memfd_stream_end(memfd_stream_t *c, status_t st) MUST_CHECK;
