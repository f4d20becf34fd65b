/*
 * pairs_equal.h - whether two results of a tile, as the log keeps them, are the same.
 *
 * What they hold is compared, not their bytes: compressors differ from host to host.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_EQUAL_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_EQUAL_H

#include "io/base/buf.h"
#include "io/store/tile.h"

#include <stdbool.h>

/*
 * Compare two packed tiles of a dense run: the number of pairs without an identity
 * (int64), then n_datasets chunks (tile_pack.h), then text (pairs_cigar_pack.h).
 *
 * @param has_text  whether there is text
 * @param equal     out; a result that cannot be decoded equals its own bytes only
 * @return ST_OK or ST_ENOMEM
 */
status_t pairs_equal_tiles(const tile_grid_t *grid, int n_datasets, bool has_text,
                           const buf_t *a, const buf_t *b, bool *equal) MUST_CHECK;

/*
 * Compare two records of hits (pairs_hits.h): the hits and their CIGARs.  The counts of
 * pairs that stages of the filter dropped depend on the batch, and are not compared.
 *
 * @param equal  as above
 * @return ST_OK or ST_ENOMEM
 */
status_t pairs_equal_hits(const buf_t *a, const buf_t *b, bool *equal) MUST_CHECK;

#endif
