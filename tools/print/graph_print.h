/*
 * graph_print.h - prints a result file of `graph`: its values as TSV, and what it holds.
 */
#ifndef RIBOGRID_TOOLS_PRINT_GRAPH_PRINT_H
#define RIBOGRID_TOOLS_PRINT_GRAPH_PRINT_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Print one line per node, for each source if there are several; or one per edge.
 *
 * @param to  the caller checks it for errors
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_print_values(const char *path, bool has_header, FILE *to) MUST_CHECK;

/* Print lines of three columns: "file", "job" or "run", a name, a value.
 * @return as graph_print_values */
status_t graph_print_info(const char *path, FILE *to) MUST_CHECK;

#endif
