/*
 * pairs_file.h - an open result file: its kind, its size, its names.
 *
 * pairs_read.h reads parts of it, pairs_scan.h streams its pairs.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/fraction.h"
#include "io/base/halves.h"
#include "io/base/status.h"
#include "io/pairs/identity_def.h"
#include "io/pairs/pairs_format.h"
#include "io/seq/alphabet.h"
#include "io/store/tile.h"

#include <stdbool.h>
#include <stdio.h>

/* The sequences of rows or of columns. */
typedef struct {
    int64_t n;
    char **names;     /* [n] */
    int32_t *lengths; /* [n] bases */
} pairs_side_t;

/* An open result file; what it points to lives until pairs_close. */
typedef struct {
    char *path;              /* by which it was opened, for messages */
    pairs_side_t rows, cols; /* queries and references, or twice the same sequences */
    bool is_against;         /* rows and columns are two sets of sequences */
    int64_t *sizes;          /* [rows.n] abundances, or NULL: all are 1 */
    alphabet_t alphabet;
    char *job;          /* that made the file: lines "name=value" */
    int n_datasets;     /* PAIRS_N_SCORE, PAIRS_N_IDENTITY or PAIRS_N_CIGAR */
    bool has_runs_of_m; /* CIGARs do not tell = from X */
    /* The definition of identity whose numerator and denominator are stored as matches
     * and columns; the canonical alignment's if the file names none. */
    identity_def_t identity_def;
    bool ends_count;  /* end gaps cost and count like inner gaps */
    bool ends_query;  /* end gaps of the query count, and those of the target are free */
    bool ends_priced; /* end gaps have costs of their own, and are no columns */
    /* Alignments are local: what lies outside is no column, and in a CIGAR all runs
     * before the first column of two bases and after the last one. */
    bool ends_local;
    bool scores_in_halves; /* those of pairs and of the job: 1 is 0.5 */
    tile_grid_t grid;      /* of a list of hits only n is set */
    /* files of hits: */
    bool is_sparse;          /* a list of hits instead of n x n matrices */
    bool has_strand;         /* both strands were aligned */
    int64_t n_hits;          /* stored */
    int64_t *row_start;      /* [rows.n + 1] where the hits of each row start */
    fraction_t min_identity; /* of the stored pairs; denominator 0: all are stored */
    int64_t top; /* best hits of each query (`align --top`), besides ties; 0: all hits */
    struct pairs_h5 *h5; /* its datasets: pairs_state.h */
} pairs_file_t;

/* @return the number of bases of the sequence of row i, and of column j */
static inline int64_t pairs_len(const pairs_file_t *file, int64_t i)
{
    return file->rows.lengths[i];
}
static inline int64_t pairs_col_len(const pairs_file_t *file, int64_t j)
{
    return file->cols.lengths[j];
}

/* @return the abundance of the sequence of row i: 1 without abundances */
static inline int64_t pairs_size(const pairs_file_t *file, int64_t i)
{
    return file->sizes != NULL ? file->sizes[i] : 1;
}

/* Format the score of a pair in the units of the user who aligned it. @return text */
const char *pairs_score_text(const pairs_file_t *file, int32_t score,
                             char text[HALVES_TEXT_BYTES]);

/* @return the value of a line of the job, up to the end of the line, or NULL: no line has
 * that name */
const char *pairs_job_value(const pairs_file_t *file, const char *name);

/* Read a line of the job whose value is a score or a cost. @return whether there is one
 */
bool pairs_job_number(const pairs_file_t *file, const char *name, int64_t *value);

/* @return whether overlaps of any length have an identity: --min-overlap 0 */
bool pairs_any_overlap(const pairs_file_t *file);

/* @return whether a file of hits has only those of sequences with the centroids before
 *         them in an order (`align --centroids`); order NULL: in any order */
bool pairs_has_centroids(const pairs_file_t *file, const char *order);

/* Opening and closing a result file, dense or of hits. */

/* Open a result file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (no result file) */
status_t pairs_open(const char *path, pairs_file_t **out) MUST_CHECK;

/* Append the text of the job that made a file. @return as pairs_open */
status_t pairs_read_job(const char *path, buf_t *out) MUST_CHECK;

/* Takes NULL. */
void pairs_close(pairs_file_t *file);

/* Printing the metadata of a result file. */

/* Print lines of three columns, separated by tabs: "file", "job" or "run", a name, a
 * value.  The caller checks `to` for errors. @return ST_OK, ST_ENOMEM, ST_EIO or
 * ST_EINPUT (damaged; logged) */
status_t pairs_describe(const pairs_file_t *file, FILE *to) MUST_CHECK;
