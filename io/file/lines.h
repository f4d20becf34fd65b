/*
 * lines.h - reads a text file or stdin, plain or compressed, line by line.
 */
#pragma once

#include "io/base/status.h"

#include <stdint.h>

typedef struct lines lines_t;

/* Open a file, or stdin if path is "-". @return ST_OK, ST_ENOMEM or ST_EIO */
status_t lines_open(const char *path, lines_t **out) MUST_CHECK;

/*
 * Read the next line.
 *
 * The line end (LF or CR LF), blanks and tabs before it, and a byte order mark at the
 * start of the file are removed.  Bytes that are not clean (utf8.h) are escaped, except
 * for tabs, as in names of FASTA records.
 *
 * @param text  the line, NUL-terminated; valid and modifiable until the next call.  NULL
 * at the end of the file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (a NUL byte, or damaged data)
 */
status_t lines_next(lines_t *lines, char **text) MUST_CHECK;

/* The same of the next line that is neither empty nor a comment, which starts with '#'.
 */
status_t lines_next_entry(lines_t *lines, char **text) MUST_CHECK;

/* @return the number of the last line read, from 1 */
int64_t lines_number(const lines_t *lines);

/* @return the name for messages: the path, or "stdin" */
const char *lines_name(const lines_t *lines);

/* Log an error about the last line read, as "PATH:LINE: ...". @return ST_EINPUT */
status_t lines_refuse(const lines_t *lines, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Parse a count, a whole number of min .. max, in the last line read.
 * @return ST_OK or ST_EINPUT (logged) */
status_t lines_count(const lines_t *lines, const char *text, int64_t min, int64_t max,
                     int64_t *out) MUST_CHECK;

/* Takes NULL. */
void lines_close(lines_t *lines);
