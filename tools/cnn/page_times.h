/*
 * page_times.h - the part of a page on networks that shows times and energy.
 */
#ifndef RIBOGRID_TOOLS_CNN_PAGE_TIMES_H
#define RIBOGRID_TOOLS_CNN_PAGE_TIMES_H

#include "tools/cnn/time_table.h"

#include <stdio.h>

/* Write charts over batches and over locked clocks, shares of the kinds of layers, and
 * tables of all measurements. @return ST_OK or ST_ENOMEM */
status_t page_times_write(FILE *to, const time_table_t *table) MUST_CHECK;

/* @return the row of the most images per second of a whole network, or NULL */
const time_row_t *page_times_fastest(const time_table_t *table);

#endif
