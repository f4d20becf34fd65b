/*
 * report_page.h - a report as one self-contained HTML page.
 *
 * Charts are inline SVG, followed by the parameters and the provenance of the result
 * file.  The page loads no other files.  Equal input gives equal
 * bytes.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_PAGE_H
#define RIBOGRID_IO_REPORT_REPORT_PAGE_H

#include "io/base/status.h"
#include "io/report/report_data.h"

#include <stdio.h>

/* Write the page.
 * @return ST_OK or ST_ENOMEM (logged); write errors are left in the stream's state */
status_t report_page_write(FILE *to, const report_data_t *data) MUST_CHECK;

#endif
