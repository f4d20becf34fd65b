/*
 * pairs_state.h - an open result file, as the files that read it share it.
 */
#ifndef RIBOGRID_IO_PAIRS_STATE_H
#define RIBOGRID_IO_PAIRS_STATE_H

#include "io/h5util.h"
#include "io/pairs_file.h"

/* One side of the pairs: /sequences or /references. */
typedef struct {
    int64_t n;
    char **names;     /* [n] h5util's */
    int32_t *lengths; /* [n] */
} pairs_side_t;

struct pairs_file {
    char *path;
    hid_t file;
    hid_t dataset[PAIRS_DATASETS_MAX];
    hid_t cigar, cigar_offset; /* of a file with CIGARs */
    int n_datasets;
    int64_t version;
    tile_grid_t grid;
    pairs_side_t rows;
    int64_t *sizes; /* [rows.n] or NULL */
    char *job;
};

/* Say what is wrong with a file. @return ST_EINPUT */
status_t pairs_refuse(const char *path, const char *what);

#endif
