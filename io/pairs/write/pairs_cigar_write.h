/*
 * pairs_cigar_write.h - writing the CIGARs of n x n matrices: /cigar, their text in the
 * order of the tiles, and /cigar_offset, where each one starts.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_CIGAR_WRITE_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_CIGAR_WRITE_H

#include "io/base/buf.h"
#include "io/store/h5util.h"
#include "io/store/tile.h"

#include <stdbool.h>

typedef struct {
    const tile_grid_t *grid;
    hid_t text, offset;
    int64_t chunk;    /* bytes of a chunk of text */
    int64_t n_chunks; /* written */
    int32_t *lengths; /* [2][side x side] a tile's, and scratch */
    int64_t *offsets; /* [2][side x side] */
    buf_t packed;
} pairs_cigar_writer_t;

/* Create the datasets. Call pairs_cigar_end even after a failure.
 * @return whether it succeeded */
bool pairs_cigar_begin(hid_t file, const tile_grid_t *grid, pairs_cigar_writer_t *out);

/*
 * Write a tile's CIGARs.
 *
 * @param lengths  [len] the compressed chunk of their lengths
 * @param packed   the packed tile, whose text starts at `at`
 * @return whether it succeeded
 */
bool pairs_cigar_put(pairs_cigar_writer_t *w, const tile_t *tile,
                     const unsigned char *lengths, uint32_t len, const buf_t *packed,
                     size_t at);

/* Close the datasets. @return whether everything was written */
bool pairs_cigar_end(pairs_cigar_writer_t *w);

#endif
