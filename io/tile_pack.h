/*
 * tile_pack.h - a tile's values as compressed HDF5 chunks, ready for H5Dwrite_chunk.
 *
 * A packed tile is, for each dataset in turn, the chunk's length (uint32, this machine's
 * byte order: the log's header refuses another) and then its bytes: int32 values passed
 * through HDF5's shuffle and deflate filters, which the readers undo.
 */
#ifndef RIBOGRID_IO_TILE_PACK_H
#define RIBOGRID_IO_TILE_PACK_H

#include "io/buf.h"

#include <stdint.h>

/* zlib's fastest: sequences are compared far slower than it writes */
enum { TILE_PACK_LEVEL = 1 };

/*
 * Append one chunk.
 *
 * @param values    [n] a chunk's values, side x side in rows
 * @param shuffled  [n] scratch of the caller's
 * @return ST_OK or ST_ENOMEM
 */
status_t tile_pack_append(const int32_t *values, int64_t n, int32_t *shuffled,
                          buf_t *out) MUST_CHECK;

/*
 * Step through a packed tile.
 *
 * @param at  in: where the next chunk stands, 0 at first; out: behind it
 * @return the chunk's bytes, *len of them, or NULL where the tile is malformed
 */
const unsigned char *tile_pack_next(const buf_t *packed, size_t *at, uint32_t *len);

#endif
