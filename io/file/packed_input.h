/*
 * packed_input.h - reads a file or stdin, plain or compressed, in blocks.
 *
 * The first bytes determine the format; unpack.h lists those of this build.  Members that
 * follow one another are read as one file.  Errors are logged with the name of the file
 * as the user gave it.  See lines.h for reading line by line.
 */
#pragma once

#include "io/base/buf.h"

#include <stddef.h>
#include <stdint.h>

typedef struct packed_input packed_input_t;

/*
 * Refuse every file that holds more than this, once it is unpacked: before the whole
 * process reads its inputs.
 *
 * @param bytes  0: no limit
 */
void packed_input_set_limit(int64_t bytes);

/* Open a file, or stdin if path is "-". @return ST_OK, ST_ENOMEM or ST_EIO */
status_t packed_input_open(const char *path, packed_input_t **out) MUST_CHECK;

/* @return the name for messages: the path, or "stdin" */
const char *packed_input_name(const packed_input_t *in);

/*
 * Read the next bytes.
 *
 * @param n_read  bytes read; fewer than len only at the end of the file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (damaged data, or more
 *         than the limit)
 */
status_t packed_input_read(packed_input_t *in, void *to, size_t len,
                           size_t *n_read) MUST_CHECK;

/* Append the rest of the file. @return as packed_input_read */
status_t packed_input_read_all(packed_input_t *in, buf_t *out) MUST_CHECK;

/* Append a whole file. @return as packed_input_open and packed_input_read */
status_t packed_input_read_file(const char *path, buf_t *out) MUST_CHECK;

/* Takes NULL. */
void packed_input_close(packed_input_t *in);
