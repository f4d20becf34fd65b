/*
 * lines.h - reads a text file or stdin, plain or gzip, line by line.
 */
#ifndef RIBOGRID_IO_BASE_LINES_H
#define RIBOGRID_IO_BASE_LINES_H

#include "io/base/status.h"

#include <stdint.h>

typedef struct lines lines_t;

/* Open a file, or stdin where path is "-". @return ST_OK, ST_ENOMEM or ST_EIO */
status_t lines_open(const char *path, lines_t **out) MUST_CHECK;

/*
 * Read the next line.
 *
 * Its end (LF or CR LF) and blanks and tabs before that are cut off, and the byte order
 * mark before the first line.
 *
 * @param text  the line, NUL-terminated, to be changed at will until the next call; NULL
 *              at the end of the file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (no text, or damaged gzip data)
 */
status_t lines_next(lines_t *lines, char **text) MUST_CHECK;

/* @return the number of the line that was read last, from 1 */
int64_t lines_number(const lines_t *lines);

/* @return what messages call it: the path, or "stdin" */
const char *lines_name(const lines_t *lines);

/* Refuse the line that was read last, as "PATH:LINE: ...". @return ST_EINPUT */
status_t lines_refuse(const lines_t *lines, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes NULL. */
void lines_close(lines_t *lines);

#endif
