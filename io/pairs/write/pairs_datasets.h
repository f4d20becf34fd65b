/*
 * pairs_datasets.h - writing what files of matrices and files of hits have in common:
 * root attributes, /run, /sequences, /members, /samples.
 *
 * Functions return whether they succeeded; the caller logs a failure once, by
 * pairs_datasets_fail.
 */
#pragma once

#include "io/base/buf.h"
#include "io/hdf5/h5util.h"
#include "io/pairs/write/pairs_write.h"
#include "io/pairs/write/reslog_h5.h"
#include "io/seq/seqset.h"
#include "io/store/tile.h"

#include <stdbool.h>

/* Log that a file cannot be created or written, and what to do. @return ST_EIO */
status_t pairs_datasets_fail(const char *path, const char *verb);

/* Create an n x n dataset, chunked by tile. @return it, or less than 0 */
hid_t pairs_datasets_matrix(hid_t file, const char *name, hid_t type,
                            const tile_grid_t *grid, const void *fill);

/* Write the root attributes that every file has. */
bool pairs_datasets_put_root(hid_t file, const pairs_head_t *head);

/* Write /run. */
bool pairs_datasets_put_run(hid_t file, const pairs_head_t *head,
                            const pairs_counts_t *counts);

/* Write names and lengths of sequences first .. first+n-1 as a group. */
bool pairs_datasets_put_names(hid_t file, const char *group, const seqset_t *set,
                              int64_t first, int64_t n);

/* Write the bases of the first n sequences, abundances, /members and /samples.  The group
 * /sequences exists. */
bool pairs_datasets_put_sequences(hid_t file, const pairs_head_t *head,
                                  const seqset_t *set, int64_t n);

/* Writing the CIGARs of n x n matrices: /cigar, their text in the
 * order of the tiles, and /cigar_offset, where each one starts. */

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
