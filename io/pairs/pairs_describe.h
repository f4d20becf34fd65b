/*
 * pairs_describe.h - printing the metadata of a result file.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_DESCRIBE_H
#define RIBOGRID_IO_PAIRS_PAIRS_DESCRIBE_H

#include "io/base/status.h"
#include "io/pairs/pairs_file.h"

#include <stdio.h>

/* Print lines of three columns, separated by tabs: "file", "job" or "run", a name, a
 * value.  The caller checks `to` for errors. @return ST_OK, ST_ENOMEM, ST_EIO or
 * ST_EINPUT (damaged; logged) */
status_t pairs_describe(const pairs_file_t *file, FILE *to) MUST_CHECK;

/* Print one such line, whatever name and text contain. */
void pairs_describe_line(const char *section, const char *name, const char *text,
                         FILE *to);

/* Print the lines "name=value" of a job likewise. */
void pairs_describe_job(const char *job, FILE *to);

#endif
