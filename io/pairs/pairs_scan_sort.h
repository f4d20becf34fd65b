/*
 * pairs_scan_sort.h - the part of a scan that puts the best pairs of each row first.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_SCAN_SORT_H
#define RIBOGRID_IO_PAIRS_PAIRS_SCAN_SORT_H

#include "io/pairs/pairs_scan_state.h"

/* Sort the pairs of the last block, which holds whole rows: by row, then the best first;
 * ties by column. @return ST_OK or ST_ENOMEM */
status_t pairs_scan_sort(pairs_scan_t *s) MUST_CHECK;

#endif
