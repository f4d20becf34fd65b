/*
 * pairs_scan_dense.h - the part of a scan that reads n x n matrices.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_SCAN_DENSE_H
#define RIBOGRID_IO_PAIRS_PAIRS_SCAN_DENSE_H

#include "io/pairs/pairs_scan_state.h"

/* Allocate the scan's buffers. @return ST_OK or ST_ENOMEM */
status_t pairs_scan_dense_create(pairs_scan_t *s) MUST_CHECK;

/* Fill s->hits with the next row that has a selected pair; s->n = 0 at the end.
 * @return ST_OK, ST_EIO or ST_EINPUT */
status_t pairs_scan_dense_next(pairs_scan_t *s) MUST_CHECK;

void pairs_scan_dense_free(pairs_strip_t *strip);

#endif
