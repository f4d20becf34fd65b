/*
 * report_bridges.h - the section of a report on sequences that chain OTUs together: a bar
 * chart and a table.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_BRIDGES_H
#define RIBOGRID_IO_REPORT_REPORT_BRIDGES_H

#include "io/report/report_data.h"

#include <stdio.h>

void report_bridges_write(FILE *to, const report_data_t *data);

#endif
