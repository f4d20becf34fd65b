/*
 * report_heat.h - a report's heat map of identities, with strips of phyla and a legend.
 *
 * For up to REPORT_HEAT_NAMED sequences each cell is an SVG element with the names of its
 * pair, and rows have names.  For more the cells are one embedded PNG, in which a script
 * looks up the cell at the pointer; axes, strips, names of taxa or OTUs and the legend
 * stay vectors.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_HEAT_H
#define RIBOGRID_IO_REPORT_REPORT_HEAT_H

#include "io/base/status.h"
#include "io/report/report_data.h"

#include <stdio.h>

enum { REPORT_HEAT_NAMED = 32 };

/* @return the sequences that a name beside a map of n sequences takes */
int64_t report_heat_label_min(int64_t n);

/* @return ST_OK or ST_ENOMEM (logged) */
status_t report_heat_write(FILE *to, const report_data_t *data) MUST_CHECK;

#endif
