/*
 * pairs_open_hits.h - opening /hits and /references of a file of hits.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_OPEN_HITS_H
#define RIBOGRID_IO_PAIRS_PAIRS_OPEN_HITS_H

#include "io/pairs/pairs_state.h"

/* Open the datasets of a file of hits; pairs_close closes them, also after a failure.
 * @return ST_OK or ST_EINPUT */
status_t pairs_open_hits(pairs_file_t *f) MUST_CHECK;

#endif
