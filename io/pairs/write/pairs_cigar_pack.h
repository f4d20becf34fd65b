/*
 * pairs_cigar_pack.h - how a packed tile holds its CIGARs.
 *
 * After the chunks of the matrices (tile_pack.h) comes the text of the tile's CIGARs, row
 * by row: the number of chunks (uint32), then the chunks as tile_pack_append_bytes makes
 * them.  Each is of pairs_cigar_chunk bytes; the last one is padded with zeros.
 */
#pragma once

#include "io/base/buf.h"
#include "io/store/tile.h"

/* @return bytes of a chunk of text */
int64_t pairs_cigar_chunk(const tile_grid_t *grid);

/*
 * Append a tile's text to a packed tile.
 *
 * @param text  padded to whole chunks by the call
 * @return ST_OK or ST_ENOMEM
 */
status_t pairs_cigar_pack(const tile_grid_t *grid, buf_t *text, buf_t *out) MUST_CHECK;
