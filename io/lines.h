/*
 * lines.h - reads a text file, plain or gzip, line by line.
 */
#ifndef RIBOGRID_IO_LINES_H
#define RIBOGRID_IO_LINES_H

#include "io/status.h"

#include <stdint.h>

typedef struct lines lines_t;

/* Open a file. @return ST_OK, ST_ENOMEM or ST_EIO (cannot be read) */
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

/* @return the path that was opened */
const char *lines_path(const lines_t *lines);

void lines_close(lines_t *lines);

#endif
