/*
 * page_kinds.h - the part of a page on networks that shows shares of the kinds of layers.
 */
#ifndef RIBOGRID_TOOLS_CNN_PAGE_KINDS_H
#define RIBOGRID_TOOLS_CNN_PAGE_KINDS_H

#include "tools/cnn/time_table.h"

#include <stdio.h>

/* Write bars and a table of the kinds, if any were measured. @return ST_OK or ST_ENOMEM
 */
status_t page_kinds_write(FILE *to, const time_table_t *table) MUST_CHECK;

#endif
