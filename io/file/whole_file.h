/*
 * whole_file.h - output files that appear complete or not at all: they are written as
 * PATH.tmp and renamed at the end.
 */
#ifndef RIBOGRID_IO_FILE_WHOLE_FILE_H
#define RIBOGRID_IO_FILE_WHOLE_FILE_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct whole_file whole_file_t;

/* Refuse to overwrite an input of this command, and an existing file unless forced.
 * @return ST_OK or ST_EINPUT */
status_t whole_file_check(const char *path, bool force) MUST_CHECK;

/*
 * Open a file for writing.
 *
 * @param path   NULL: stdout
 * @param force  replace an existing file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (the file exists)
 */
status_t whole_file_open(const char *path, bool force, whole_file_t **out) MUST_CHECK;

/* @return the stream to write to; whole_file_close checks it for errors */
FILE *whole_file_stream(whole_file_t *f);

/* @return PATH.tmp, for libraries that open files themselves; NULL for stdout */
const char *whole_file_tmp(const whole_file_t *f);

/*
 * Close the stream but do not rename the file yet.
 *
 * Only callers that rename several files together need this; whole_file_close includes
 * it.
 *
 * @return ST_OK or ST_EIO
 */
status_t whole_file_finish(whole_file_t *f) MUST_CHECK;

/*
 * Close the file.  If st is ST_OK and every write succeeded, the file gets its name;
 * otherwise it is removed.
 *
 * @param f  may be NULL
 * @return st, or ST_EIO (logged)
 */
status_t whole_file_close(whole_file_t *f, status_t st) MUST_CHECK;

#endif
