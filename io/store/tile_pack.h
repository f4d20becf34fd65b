/*
 * tile_pack.h - a tile's values as compressed HDF5 chunks, ready for H5Dwrite_chunk.
 *
 * A packed tile is, for each dataset in turn, the chunk's length (uint32, this machine's
 * byte order: the log's header refuses another) and then its bytes: int32 values passed
 * through HDF5's shuffle and deflate filters, which readers undo.  With CIGARs their text
 * follows (pairs_cigar_pack.h).
 */
#pragma once

#include "io/store/deflate.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Append one chunk.
 *
 * @param values    [n] a chunk's values, side x side, row by row
 * @param shuffled  [n] scratch
 * @return ST_OK or ST_ENOMEM
 */
status_t tile_pack_append(const int32_t *values, int64_t n, int32_t *shuffled,
                          buf_t *out) MUST_CHECK;

/* The same for int64 values. */
status_t tile_pack_append64(const int64_t *values, int64_t n, int64_t *shuffled,
                            buf_t *out) MUST_CHECK;

/* The same for len bytes, which are deflated but not shuffled. */
status_t tile_pack_append_bytes(const void *bytes, size_t len, deflate_kind_t kind,
                                buf_t *out) MUST_CHECK;

/* HDF5's shuffle filter: the first bytes of all values, then the second ones, ...
 * @param values  [n] of `size` bytes each
 * @param out     [n] must not overlap values */
void tile_pack_shuffle(const void *values, int64_t n, size_t size, void *out);

/* Undo it. @param out  must not overlap shuffled */
void tile_pack_unshuffle(const void *shuffled, int64_t n, size_t size, void *out);

/*
 * Undo tile_pack_append.
 *
 * @param chunk     [len] as tile_pack_next returns it
 * @param values    [n] out
 * @param shuffled  [n] scratch
 * @return whether the chunk held n values
 */
bool tile_pack_undo(const unsigned char *chunk, uint32_t len, int64_t n, int32_t *values,
                    int32_t *shuffled);

/*
 * Step through a packed tile.
 *
 * @param at  in: where the next chunk starts, 0 at first; out: where it ends
 * @return the chunk's bytes, *len of them, or NULL at the end or if the tile is malformed
 */
const unsigned char *tile_pack_next(const buf_t *packed, size_t *at, uint32_t *len);
