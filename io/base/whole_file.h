/*
 * whole_file.h - output that appears whole or not at all: written as PATH.tmp, renamed at
 * the end.
 */
#ifndef RIBOGRID_IO_BASE_WHOLE_FILE_H
#define RIBOGRID_IO_BASE_WHOLE_FILE_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct whole_file whole_file_t;

/* Look whether a file may be made: unless force, one that is there is an error.
 * @return ST_OK or ST_EINPUT */
status_t whole_file_check(const char *path, bool force) MUST_CHECK;

/*
 * Begin a file.
 *
 * @param path   NULL: stdout
 * @param force  replace what is there; without it that is an error
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (it exists)
 */
status_t whole_file_open(const char *path, bool force, whole_file_t **out) MUST_CHECK;

/* @return where to write to; errors are looked for at the end */
FILE *whole_file_stream(whole_file_t *f);

/* @return PATH.tmp, for a library that opens files itself; NULL: stdout */
const char *whole_file_tmp(const whole_file_t *f);

/*
 * End the writing; the file has no name yet.  Only for those who name several at once:
 * whole_file_close does this, too.
 *
 * @return ST_OK or ST_EIO
 */
status_t whole_file_finish(whole_file_t *f) MUST_CHECK;

/*
 * End it: give it its name if st is ST_OK and all was written, else take it away.
 *
 * @param f  may be NULL
 * @return st, or ST_EIO
 */
status_t whole_file_close(whole_file_t *f, status_t st) MUST_CHECK;

#endif
