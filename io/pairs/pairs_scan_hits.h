/*
 * pairs_scan_hits.h - the part of a scan that reads /hits.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_SCAN_HITS_H
#define RIBOGRID_IO_PAIRS_PAIRS_SCAN_HITS_H

#include "io/pairs/pairs_scan_state.h"

/* Allocate the scan's buffers. @return ST_OK or ST_ENOMEM */
status_t pairs_scan_hits_create(pairs_scan_t *s) MUST_CHECK;

/* Fill s->hits with the next block that has a selected hit; s->n = 0 at the end.
 * @return ST_OK, ST_EIO or ST_EINPUT */
status_t pairs_scan_hits_next(pairs_scan_t *s) MUST_CHECK;

#endif
