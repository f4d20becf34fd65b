/*
 * pairs_write_hits.h - a result file of hits, built from the finished log.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_WRITE_HITS_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_WRITE_HITS_H

#include "io/pairs/write/pairs_head.h"
#include "io/seq/seqset.h"
#include "io/store/reslog.h"
#include "io/store/tile.h"

/*
 * Create or replace the file at path, and sync it to disk.  Memory is that of the hits
 * of one row of tiles.
 *
 * @param set     the sequences; for a rectangular grid queries and references, joined
 * @param log     with every tile finished, as records of pairs_hits.h
 * @param counts  out
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t pairs_write_hits(const char *path, const pairs_head_t *head, const seqset_t *set,
                          const tile_grid_t *grid, const reslog_t *log,
                          pairs_counts_t *counts) MUST_CHECK;

#endif
