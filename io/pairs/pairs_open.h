/*
 * pairs_open.h - opening and closing a result file, dense or of hits.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_OPEN_H
#define RIBOGRID_IO_PAIRS_PAIRS_OPEN_H

#include "io/base/status.h"
#include "io/pairs/pairs_file.h"

/* Open a result file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (no result file) */
status_t pairs_open(const char *path, pairs_file_t **out) MUST_CHECK;

/* Takes NULL. */
void pairs_close(pairs_file_t *file);

#endif
