/*
 * graph_print.h - prints graphs and results of `graph`: their values as TSV, what they
 * hold, and pages on them.
 */
#ifndef RIBOGRID_TOOLS_PRINT_GRAPH_PRINT_H
#define RIBOGRID_TOOLS_PRINT_GRAPH_PRINT_H

#include "tools/print/file_page.h"

/*
 * Print one line per node, for each source if there are several; or one per edge.
 *
 * @param to  the caller checks it for errors
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_print_values(const char *path, bool has_header, FILE *to) MUST_CHECK;

/* Print lines of three columns: "file" or "job", a name, a value.
 * @return as graph_print_values */
status_t graph_print_info(const char *path, FILE *to) MUST_CHECK;

/* Draw the page. @return as graph_print_values */
status_t graph_print_page(const file_report_t *how) MUST_CHECK;

/* ---- the same of a graph ---- */

status_t csr_print_arcs(const char *path, bool has_header, FILE *to) MUST_CHECK;
status_t csr_print_info(const char *path, FILE *to) MUST_CHECK;
status_t csr_print_page(const file_report_t *how) MUST_CHECK;

#endif
