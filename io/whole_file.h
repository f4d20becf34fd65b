/*
 * whole_file.h - output that appears whole or not at all: written as PATH.tmp, renamed at
 * the end.
 */
#ifndef RIBOGRID_IO_WHOLE_FILE_H
#define RIBOGRID_IO_WHOLE_FILE_H

#include "io/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct whole_file whole_file_t;

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

/*
 * End it: give it its name if st is ST_OK and all was written, else take it away.
 *
 * @return st, or ST_EIO
 */
status_t whole_file_close(whole_file_t *f, status_t st) MUST_CHECK;

#endif
