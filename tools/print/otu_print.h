/*
 * otu_print.h - prints the groups of `cluster`: the OTU of each sequence as TSV, what the
 * file holds, and a page on it.
 */
#ifndef RIBOGRID_TOOLS_PRINT_OTU_PRINT_H
#define RIBOGRID_TOOLS_PRINT_OTU_PRINT_H

#include "tools/print/file_page.h"

/* Print lines: sequence, OTU (NA: left out), whether it represents that.
 * @param to  the caller checks it for errors
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t otu_print_sequences(const char *path, bool has_header, FILE *to) MUST_CHECK;

/* Print lines of three columns: "file" or "otus", a name, a value.
 * @return as otu_print_sequences */
status_t otu_print_info(const char *path, FILE *to) MUST_CHECK;

/* Draw the page. @return as otu_print_sequences */
status_t otu_print_page(const file_report_t *how) MUST_CHECK;

#endif
