/*
 * report_names.h - `ribogrid report` of the names that `classify` has given to reads: the
 * composition of samples.
 */
#ifndef RIBOGRID_TOOLS_PRINT_REPORT_NAMES_H
#define RIBOGRID_TOOLS_PRINT_REPORT_NAMES_H

#include "graph/summary/composition.h"

#include <stdbool.h>

typedef struct {
    const char *input, *output;        /* output NULL: stdout */
    const char *title;                 /* NULL: the default */
    const char *rank;                  /* as the user gave it; NULL: genus */
    const char *samples, *count_table; /* NULL: not given */
    bool sizein, force;
} report_names_t;

/* Find out whether a file holds such names. @return ST_OK or ST_EINPUT (logged) */
status_t report_names_probe(const char *path, bool *are_in) MUST_CHECK;

/* Parse --rank. @return ST_OK or ST_EUSAGE (logged) */
status_t report_names_rank(const char *text, composition_rank_t *out) MUST_CHECK;

/* Draw the page. @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or ST_EUSAGE (the rank;
 * logged) */
status_t report_names(const report_names_t *r) MUST_CHECK;

#endif
