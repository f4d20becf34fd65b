/*
 * report_against.h - `ribogrid report` of queries against references: best hits and taxa.
 */
#ifndef RIBOGRID_TOOLS_PRINT_REPORT_AGAINST_H
#define RIBOGRID_TOOLS_PRINT_REPORT_AGAINST_H

#include "io/pairs/pairs_file.h"

/* What is wanted; NULL: not given. */
typedef struct {
    const char *output, *title;
    const char *taxonomy; /* of the references */
    const char *rank;     /* of the taxa shown */
    fraction_t id;        /* of the OTUs; denominator 0: otu_source_default_id */
    bool force;
} report_against_t;

/*
 * Write the page.
 *
 * @param file  of queries against references
 * @return ST_OK, ST_EUSAGE (no such rank), ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t report_against(const report_against_t *how, const pairs_file_t *file) MUST_CHECK;

#endif
