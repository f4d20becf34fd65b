/*
 * pairs_cigar_write.h - writing the CIGARs of n x n matrices: /cigar, their text in the
 * order of the tiles, and /cigar_offset, where each one starts.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_CIGAR_WRITE_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_CIGAR_WRITE_H

#include "io/base/buf.h"
#include "io/hdf5/h5util.h"
#include "io/pairs/write/reslog_h5.h"
#include "io/store/tile.h"

#include <stdbool.h>

typedef struct {
    const tile_grid_t *grid;
    hid_t text, offset;
    int64_t chunk;    /* bytes of a chunk of text */
    int64_t n_chunks; /* written */
} pairs_cigar_writer_t;

/* Create the datasets. Call pairs_cigar_end even after a failure.
 * @return whether it succeeded */
bool pairs_cigar_begin(hid_t file, const tile_grid_t *grid, pairs_cigar_writer_t *out);

/*
 * Compress the offsets of a tile's CIGARs; any thread may call it.
 *
 * @param lengths   [len] the compressed chunk of their lengths
 * @param n_before  chunks of the text of all tiles before it
 * @param out       one chunk (tile_pack.h)
 * @return whether it succeeded
 */
bool pairs_cigar_pack_offsets(const pairs_cigar_writer_t *w, const unsigned char *lengths,
                              uint32_t len, int64_t n_before, buf_t *out);

/* Write a tile's offsets. @param offsets  of pairs_cigar_pack_offsets
 * @return whether it succeeded */
bool pairs_cigar_put_offsets(pairs_cigar_writer_t *w, const tile_t *tile,
                             const buf_t *offsets);

/*
 * Add a tile's text, tile after tile.
 *
 * @param file    in the log
 * @param number  the tile's; `at` is where in its record the first of the n_chunks chunks
 *                of text starts
 * @return whether it succeeded
 */
bool pairs_cigar_put_text(pairs_cigar_writer_t *w, reslog_h5_t *file, int64_t number,
                          const buf_t *record, size_t at, uint32_t n_chunks);

/* Close the datasets. @return whether everything was written */
bool pairs_cigar_end(pairs_cigar_writer_t *w);

#endif
