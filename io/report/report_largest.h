/*
 * report_largest.h - a report's table of the largest OTUs: their representatives,
 * lineages and samples.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_LARGEST_H
#define RIBOGRID_IO_REPORT_REPORT_LARGEST_H

#include "io/report/report_data.h"

#include <stdio.h>

/* Write the section; nothing without OTUs. */
void report_largest_write(FILE *to, const report_otus_t *otus);

#endif
