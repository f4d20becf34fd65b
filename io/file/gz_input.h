/*
 * gz_input.h - reads a file or stdin, plain or gzip, in blocks.
 *
 * Errors are logged with the name of the file as the user gave it.  See lines.h for
 * reading line by line.
 */
#ifndef RIBOGRID_IO_FILE_GZ_INPUT_H
#define RIBOGRID_IO_FILE_GZ_INPUT_H

#include "io/base/status.h"

#include <stddef.h>

typedef struct gz_input gz_input_t;

/* Open a file, or stdin if path is "-". @return ST_OK, ST_ENOMEM or ST_EIO */
status_t gz_input_open(const char *path, gz_input_t **out) MUST_CHECK;

/* @return the name for messages: the path, or "stdin" */
const char *gz_input_name(const gz_input_t *in);

/*
 * Read the next bytes.
 *
 * @param n_read  bytes read; fewer than len only at the end of the file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (damaged gzip data)
 */
status_t gz_input_read(gz_input_t *in, void *to, size_t len, size_t *n_read) MUST_CHECK;

/* Takes NULL. */
void gz_input_close(gz_input_t *in);

#endif
