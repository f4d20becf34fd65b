/*
 * classify_print.h - prints the files of `classify`: names of reads as TSV, and what a
 * result or a model holds.
 */
#ifndef RIBOGRID_TOOLS_PRINT_CLASSIFY_PRINT_H
#define RIBOGRID_TOOLS_PRINT_CLASSIFY_PRINT_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* The kinds of files. */
typedef enum { CLASSIFY_NO_FILE, CLASSIFY_RESULT, CLASSIFY_MODEL } classify_kind_t;

/* @return ST_OK or ST_EINPUT (logged: not HDF5) */
status_t classify_print_probe(const char *path, classify_kind_t *out) MUST_CHECK;

/*
 * Print one line per read of a result, as `classify` writes tsv.
 *
 * @param to  the caller checks it for errors
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t classify_print_names(const char *path, bool has_header, FILE *to) MUST_CHECK;

/* Print lines of three columns: "file", "job" or "run", a name, a value.
 * @return as classify_print_names */
status_t classify_print_info(const char *path, classify_kind_t kind, FILE *to) MUST_CHECK;

#endif
