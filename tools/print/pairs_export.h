/*
 * pairs_export.h - the pairs of a result file in the format of another program, for
 * `export` and `align`.
 */
#ifndef RIBOGRID_TOOLS_PRINT_PAIRS_EXPORT_H
#define RIBOGRID_TOOLS_PRINT_PAIRS_EXPORT_H

#include "io/export/export_file.h"

typedef struct {
    export_spec_t spec;
    bool has_order;     /* spec.pick.order was given; else it is the file's default */
    const char *pairs;  /* the result file */
    const char *output; /* NULL: stdout */
    bool force;
} pairs_export_t;

/* Open the result file and write the output. @return ST_OK, ST_ENOMEM, ST_EIO or
 * ST_EINPUT */
status_t pairs_export(const pairs_export_t *what) MUST_CHECK;

#endif
