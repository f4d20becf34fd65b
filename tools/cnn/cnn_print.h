/*
 * cnn_print.h - prints trained networks: the curves of training as TSV, and what a file
 * holds.
 */
#ifndef RIBOGRID_TOOLS_CNN_CNN_PRINT_H
#define RIBOGRID_TOOLS_CNN_CNN_PRINT_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Print one line per batch, as `cnn train --csv` does, but with tabs.
 * @param to  the caller checks it for errors
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t cnn_print_curve(const char *path, bool has_header, FILE *to) MUST_CHECK;

/* Print lines of three columns: "file" or "job", a name, a value.
 * @return as cnn_print_curve */
status_t cnn_print_info(const char *path, FILE *to) MUST_CHECK;

#endif
