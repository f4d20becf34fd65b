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

#endif
