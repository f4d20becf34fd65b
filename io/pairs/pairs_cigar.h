/*
 * pairs_cigar.h - the CIGARs of a result file, as it is written: /cigar, their text in
 * the order of the tiles, and /cigar_offset, where each starts.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_CIGAR_H
#define RIBOGRID_IO_PAIRS_PAIRS_CIGAR_H

#include "io/pairs/pairs_file.h"
#include "io/store/h5util.h"

typedef struct {
    const tile_grid_t *grid;
    hid_t text, offset;
    int64_t chunk;    /* bytes of a chunk of text */
    int64_t n_chunks; /* written */
    int32_t *lengths; /* [2][side x side] a tile's, and scratch */
    int64_t *offsets; /* [2][side x side] */
    buf_t packed;
} pairs_cigar_writer_t;

/* Make an n x n dataset chunked by tile. @return it, or less than 0 */
hid_t pairs_create_matrix(hid_t file, const char *name, hid_t type,
                          const tile_grid_t *grid, const void *fill);

/* Make the datasets; pairs_cigar_end is to follow in any case. @return whether it went
 * well */
bool pairs_cigar_begin(hid_t file, const tile_grid_t *grid, pairs_cigar_writer_t *out);

/*
 * Write a tile's CIGARs.
 *
 * @param lengths  [len] their lengths as they are packed
 * @param packed   the packed tile, whose text starts at `at`
 * @return whether it went well
 */
bool pairs_cigar_put(pairs_cigar_writer_t *w, const tile_t *tile,
                     const unsigned char *lengths, uint32_t len, const buf_t *packed,
                     size_t at);

/* Close the datasets. @return whether all is written */
bool pairs_cigar_end(pairs_cigar_writer_t *w);

#endif
