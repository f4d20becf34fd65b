/*
 * report_heat.h - a report's heat map of identities, with a strip of kinds and a legend.
 *
 * Up to REPORT_HEAT_NAMED sequences each cell is an element with its pair's names; beyond
 * that the cells are one embedded PNG, and axes, strips and legend stay vectors.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_HEAT_H
#define RIBOGRID_IO_REPORT_REPORT_HEAT_H

#include "io/report/report_page.h"

enum { REPORT_HEAT_NAMED = 32 };

/* @return ST_OK or ST_ENOMEM (logged) */
status_t report_heat_write(FILE *to, const report_page_t *page) MUST_CHECK;

#endif
