/*
 * pairs_state.h - an open result file, as the files that read it share it.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_STATE_H
#define RIBOGRID_IO_PAIRS_PAIRS_STATE_H

#include "io/pairs/pairs_file.h"
#include "io/store/h5util.h"

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
    hid_t cigar, cigar_offset; /* of a file with CIGARs; of hits /hits/cigar_offset */
    int n_datasets;
    int64_t version;
    tile_grid_t grid;
    pairs_side_t rows;
    int64_t *sizes; /* [rows.n] or NULL */
    char *job;
    bool ends_count, ends_query;
    identity_def_t identity_def;
    /* of a file of hits */
    bool is_sparse, is_against;
    pairs_side_t references;       /* is_against */
    hid_t hit[PAIRS_HIT_DATASETS]; /* strand: or H5I_INVALID_HID */
    int64_t n_hits;
    int64_t *row_start; /* [rows.n + 1] */
    fraction_t min_identity;
};

/* Read names and lengths of a group. @return ST_OK or ST_EINPUT */
status_t pairs_read_side(pairs_file_t *f, const char *group, int64_t n,
                         pairs_side_t *out) MUST_CHECK;

/* Open a dataset of bytes whose chunks are to be kept for a while. */
hid_t pairs_open_text(hid_t file);

/* Open what a file of hits holds, and close it. @return ST_OK or ST_EINPUT */
status_t pairs_hits_open(pairs_file_t *f) MUST_CHECK;
void pairs_hits_close(pairs_file_t *f);

/* Say what is wrong with a file. @return ST_EINPUT */
status_t pairs_refuse(const char *path, const char *what);

#endif
