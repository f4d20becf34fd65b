/*
 * pairs_write.h - a result file of n x n matrices, built from the finished log.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_WRITE_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_WRITE_H

#include "io/pairs/write/pairs_head.h"
#include "io/seq/seqset.h"
#include "io/store/reslog.h"
#include "io/store/tile.h"

/*
 * Make the log's file the result, complete and on disk, under the log's name
 * (reslog_h5.h).  After a failure it is the log that it was.
 *
 * @param log     with every tile finished.  A record is the number of the tile's pairs
 *                without an identity (int64_t), then a packed tile (tile_pack.h, and
 *                pairs_cigar_pack.h for CIGARs)
 * @param counts  out
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t pairs_write(const pairs_head_t *head, const seqset_t *set,
                     const tile_grid_t *grid, const reslog_t *log,
                     pairs_counts_t *counts) MUST_CHECK;

#endif
