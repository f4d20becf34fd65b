/*
 * classify_print.h - prints the files of `classify`: names of reads as TSV, and what a
 * result or a model holds.
 */
#ifndef RIBOGRID_TOOLS_PRINT_CLASSIFY_PRINT_H
#define RIBOGRID_TOOLS_PRINT_CLASSIFY_PRINT_H

#include "tools/print/file_page.h"

/*
 * Print one line per read of a result, as `classify` writes tsv.
 *
 * @param to  the caller checks it for errors
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t classify_print_names(const char *path, bool has_header, FILE *to) MUST_CHECK;

/* Print lines of three columns: "file" or "job", a name, a value.
 * @return as classify_print_names */
status_t classify_print_result(const char *path, FILE *to) MUST_CHECK;
status_t classify_print_model(const char *path, FILE *to) MUST_CHECK;

/* Print one line per reference of a model: name, bases, lineage.
 * @return as classify_print_names */
status_t classify_print_references(const char *path, bool has_header,
                                   FILE *to) MUST_CHECK;

/* Draw the page on a model. @return as classify_print_names */
status_t classify_print_page(const file_report_t *how) MUST_CHECK;

#endif
