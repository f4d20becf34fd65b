/*
 * pairs_file.h - the result file of all pairs of a set: HDF5, described in
 * docs/file-format.md.
 *
 * Written once, from the finished log (pairs_write); read by view, info and what follows
 * (pairs_open).
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_FILE_H
#define RIBOGRID_IO_PAIRS_PAIRS_FILE_H

#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/pairs/identity_def.h"
#include "io/seq/seqset.h"
#include "io/store/reslog.h"
#include "io/store/tile.h"

#include <stdio.h>

#define PAIRS_FORMAT "ribogrid-pairs"

enum { PAIRS_VERSION_MAJOR = 1, PAIRS_VERSION_MINOR = 3 };

/* The datasets, in the order of a packed tile's chunks. */
typedef enum {
    PAIRS_SCORE,
    PAIRS_MATCHES,
    PAIRS_COLUMNS,
    PAIRS_CIGAR_LENGTH, /* bytes of the pair's text in /cigar */
    PAIRS_DATASETS_MAX
} pairs_dataset_t;

extern const char *const pairs_dataset_name[PAIRS_DATASETS_MAX];
/* What stands where no pair was computed. */
extern const int32_t pairs_fill[PAIRS_DATASETS_MAX];

/* How many there are: scores alone, identities too, CIGARs too. */
enum { PAIRS_N_SCORE = 1, PAIRS_N_IDENTITY = 3, PAIRS_N_CIGAR = 4 };

/* The datasets of /hits; strands only where both were aligned. */
typedef enum {
    PAIRS_HIT_ROW,
    PAIRS_HIT_COL,
    PAIRS_HIT_SCORE,
    PAIRS_HIT_MATCHES,
    PAIRS_HIT_COLUMNS,
    PAIRS_HIT_STRAND,
    PAIRS_HIT_DATASETS
} pairs_hit_dataset_t;

extern const char *const pairs_hit_name[PAIRS_HIT_DATASETS];

/* Stages of a filter whose work is counted. */
enum { PAIRS_STAGES_MAX = 4 };

/*
 * A packed tile of a file with CIGARs ends with their text: the number of its chunks
 * (uint32), then these, as tile_pack_append_bytes makes them, each of pairs_cigar_chunk
 * bytes; the last is filled up with zeros.
 */
int64_t pairs_cigar_chunk(const tile_grid_t *grid);

/* Append a tile's text in this form. @return ST_OK or ST_ENOMEM */
status_t pairs_cigar_pack(const tile_grid_t *grid, buf_t *text, buf_t *out) MUST_CHECK;

/* Every input record, after equal ones were joined. */
typedef struct {
    int64_t n;         /* records */
    char **name;       /* [n] */
    int32_t *sequence; /* [n] the sequence that it equals */
} pairs_members_t;

/* How often each sequence was seen in each sample, by sequence. */
typedef struct {
    int64_t n;          /* samples */
    char **name;        /* [n] */
    int64_t *row_start; /* [sequences + 1] */
    int32_t *sample;    /* [row_start[sequences]] ascending within a sequence */
    int64_t *count;     /* likewise */
} pairs_samples_t;

/* A line of /run: what differs between two runs of one job. */
typedef struct {
    const char *name;
    const char *text; /* NULL: the number counts */
    double number;
} pairs_run_item_t;

typedef struct {
    const char *ends;                /* root attribute: "free", "count" or "query" */
    const char *identity;            /* root attribute; NULL: "matches / columns" */
    const char *identity_definition; /* root attribute: one of identity_def_name; NULL:
                                        there are scores alone */
    const char *job;                 /* the log's text, which says what was computed */
    int n_datasets;              /* PAIRS_N_SCORE, PAIRS_N_IDENTITY or PAIRS_N_CIGAR */
    const char *cigar_style;     /* root attribute: "m" or "eqx"; NULL: no CIGARs */
    const pairs_run_item_t *run; /* [n_run] */
    int n_run;
    const char *const *devices; /* [n_devices] a line each */
    int n_devices;
    const int64_t *sizes;           /* [sequences] abundances, or NULL: all 1 */
    const pairs_members_t *members; /* NULL: the sequences themselves */
    const pairs_samples_t *samples; /* NULL: none known */
    pool_t *pool;                   /* threads that compress; NULL: the caller alone */
    /* of hits */
    bool has_strand;
    fraction_t min_identity;   /* denominator 0: none was asked for */
    int64_t top;               /* 0: all hits of a row, else its best so many */
    const char *const *stages; /* [n_stages] names of the filter's stages */
    int n_stages;
} pairs_head_t;

/* What became of the pairs. */
typedef struct {
    int64_t n_pairs; /* of both strands, where both were looked at */
    int64_t n_dropped[PAIRS_STAGES_MAX];
    int64_t n_aligned;
    int64_t n_kept;
} pairs_counts_t;

/*
 * Build the file at path, which is made or emptied, and have the disk keep it.
 *
 * @param log   every tile finished
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t pairs_write(const char *path, const pairs_head_t *head, const seqset_t *set,
                     const tile_grid_t *grid, const reslog_t *log) MUST_CHECK;

/*
 * Build a file of hits likewise, from records as pairs_hits.h has them.  Memory: that of
 * the hits of a row of tiles.
 *
 * @param set    of a rectangular grid the joined set, else the sequences
 * @param counts  out
 */
status_t pairs_write_hits(const char *path, const pairs_head_t *head, const seqset_t *set,
                          const tile_grid_t *grid, const reslog_t *log,
                          pairs_counts_t *counts) MUST_CHECK;

typedef struct pairs_file pairs_file_t;

/* Open a result file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (not such a file) */
status_t pairs_open(const char *path, pairs_file_t **out) MUST_CHECK;

/* @return whether it holds hits instead of n x n matrices; and then: */
bool pairs_is_sparse(const pairs_file_t *file);

/* @return whether rows are queries and columns references: two sets of sequences */
bool pairs_is_against(const pairs_file_t *file);

/* @return whether both strands were looked at */
bool pairs_has_strand(const pairs_file_t *file);

/* @return the number of hits */
int64_t pairs_n_hits(const pairs_file_t *file);

/* @return [n_rows + 1] where each row's hits start, the file's */
const int64_t *pairs_row_start(const pairs_file_t *file);

/* @return the sequences that rows are (queries), and those that columns are */
int64_t pairs_n_rows(const pairs_file_t *file);
int64_t pairs_n_cols(const pairs_file_t *file);

/* @return the grid of its tiles; a file of hits has none, but n */
const tile_grid_t *pairs_grid(const pairs_file_t *file);

/* @return PAIRS_N_SCORE, PAIRS_N_IDENTITY or PAIRS_N_CIGAR: what it tells of a pair */
int pairs_n_datasets(const pairs_file_t *file);

/* @return the name of sequence i, the file's */
const char *pairs_name(const pairs_file_t *file, int64_t i);

/* @return the name of column j's sequence, the file's */
const char *pairs_col_name(const pairs_file_t *file, int64_t j);

/* @return letters of sequence i, and of column j's */
int64_t pairs_len(const pairs_file_t *file, int64_t i);
int64_t pairs_col_len(const pairs_file_t *file, int64_t j);

/* @return the least identity of the pairs that it holds; denominator 0: all are there */
fraction_t pairs_min_identity(const pairs_file_t *file);

/* @return what of an alignment matches and columns are, as numerator and denominator; the
 *         canonical alignment's where the file does not say */
identity_def_t pairs_identity_def(const pairs_file_t *file);

/* @return whether end gaps cost and count like others */
bool pairs_ends_count(const pairs_file_t *file);

/* @return whether those of the query count, and the target's are free */
bool pairs_ends_query(const pairs_file_t *file);

/* @return [n_rows] abundances, the file's, or NULL: all are 1 */
const int64_t *pairs_sizes(const pairs_file_t *file);

/* Read names and letters of /sequences. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t pairs_read_sequences(const pairs_file_t *file, seqset_t **out) MUST_CHECK;

/* Read the members, which are the sequences where the file names none; to be given back
 * with pairs_members_free. @return likewise */
status_t pairs_read_members(const pairs_file_t *file, pairs_members_t *out) MUST_CHECK;
void pairs_members_free(pairs_members_t *members);

/* Read the samples, n = 0 where the file has none; to be given back with
 * pairs_samples_free. @return likewise */
status_t pairs_read_samples(const pairs_file_t *file, pairs_samples_t *out) MUST_CHECK;
void pairs_samples_free(pairs_samples_t *samples);

/* @return the text of the job that made it, the file's; lines "name=value" */
const char *pairs_job(const pairs_file_t *file);

/* Print what the file says of itself, a line each. @return ST_OK or ST_EIO */
status_t pairs_describe(const pairs_file_t *file, FILE *to) MUST_CHECK;

/*
 * Read a rectangle of a dataset.
 *
 * @param out  [(row1-row0) x (col1-col0)] in rows
 * @return ST_OK or ST_EIO
 */
status_t pairs_read(const pairs_file_t *file, pairs_dataset_t dataset, int64_t row0,
                    int64_t row1, int64_t col0, int64_t col1, int32_t *out) MUST_CHECK;

/* Read where the texts of a rectangle's CIGARs stand in /cigar, as pairs_read. */
status_t pairs_read_cigar_offsets(const pairs_file_t *file, int64_t row0, int64_t row1,
                                  int64_t col0, int64_t col1, int64_t *out) MUST_CHECK;

/* Read bytes begin .. end-1 of /cigar. @param out  emptied, then filled
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (there are none such) */
status_t pairs_read_cigar_text(const pairs_file_t *file, int64_t begin, int64_t end,
                               buf_t *out) MUST_CHECK;

void pairs_close(pairs_file_t *file);

#endif
