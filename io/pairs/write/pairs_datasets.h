/*
 * pairs_datasets.h - writing what files of matrices and files of hits have in common:
 * root attributes, /run, /sequences, /members, /samples.
 *
 * Functions return whether they succeeded; the caller logs a failure once, by
 * pairs_datasets_fail.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_DATASETS_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_DATASETS_H

#include "io/hdf5/h5util.h"
#include "io/pairs/write/pairs_head.h"
#include "io/seq/seqset.h"
#include "io/store/tile.h"

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

#endif
