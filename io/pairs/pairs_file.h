/*
 * pairs_file.h - an open result file: its kind, its size, its names.
 *
 * pairs_read.h reads parts of it, pairs_scan.h streams its pairs.
 * Pointers that are returned here belong to the file and live until pairs_close.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_FILE_H
#define RIBOGRID_IO_PAIRS_PAIRS_FILE_H

#include "io/base/fraction.h"
#include "io/base/halves.h"
#include "io/base/status.h"
#include "io/pairs/identity_def.h"
#include "io/pairs/pairs_format.h"
#include "io/seq/alphabet.h"
#include "io/store/tile.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct pairs_file pairs_file_t;

/* @return the path by which the file was opened, for messages */
const char *pairs_path(const pairs_file_t *file);

/* @return whether the file holds a list of hits instead of n x n matrices */
bool pairs_is_sparse(const pairs_file_t *file);

/* @return whether rows are queries and columns references: two sets of sequences */
bool pairs_is_against(const pairs_file_t *file);

/* @return whether both strands were aligned */
bool pairs_has_strand(const pairs_file_t *file);

/* @return the number of hits of a sparse file */
int64_t pairs_n_hits(const pairs_file_t *file);

/* @return [n_rows + 1] of a sparse file, where the hits of each row start */
const int64_t *pairs_row_start(const pairs_file_t *file);

/* @return the number of sequences in rows (queries) and in columns */
int64_t pairs_n_rows(const pairs_file_t *file);
int64_t pairs_n_cols(const pairs_file_t *file);

/* @return the grid of tiles; of a sparse file only n is set */
const tile_grid_t *pairs_grid(const pairs_file_t *file);

/* @return PAIRS_N_SCORE, PAIRS_N_IDENTITY or PAIRS_N_CIGAR: what is stored of a pair */
int pairs_n_datasets(const pairs_file_t *file);

/* @return the name of the sequence of row i, and of column j */
const char *pairs_name(const pairs_file_t *file, int64_t i);
const char *pairs_col_name(const pairs_file_t *file, int64_t j);

/* @return the number of bases of the sequence of row i, and of column j */
int64_t pairs_len(const pairs_file_t *file, int64_t i);
int64_t pairs_col_len(const pairs_file_t *file, int64_t j);

/* @return the minimum identity of the stored pairs; denominator 0: all are stored */
fraction_t pairs_min_identity(const pairs_file_t *file);

/* @return how many best hits each query has (`align --top`), besides ties; 0: all hits */
int64_t pairs_top(const pairs_file_t *file);

/* @return the definition of identity whose numerator and denominator are stored as
 *         matches and columns; the canonical alignment's if the file names none */
identity_def_t pairs_identity_def(const pairs_file_t *file);

/* @return whether end gaps cost and count like inner gaps */
bool pairs_ends_count(const pairs_file_t *file);

/* @return whether end gaps of the query count, and those of the target are free */
bool pairs_ends_query(const pairs_file_t *file);

/* @return whether end gaps have costs of their own, and are no columns */
bool pairs_ends_priced(const pairs_file_t *file);

/* @return whether alignments are local: what lies outside is no column, and in a CIGAR
 *         all runs before the first column of two bases and after the last one */
bool pairs_ends_local(const pairs_file_t *file);

/* @return whether the scores of pairs, and those of the job, are in halves: 1 is 0.5 */
bool pairs_scores_in_halves(const pairs_file_t *file);

/* Format the score of a pair in the units of the user who aligned it. @return text */
const char *pairs_score_text(const pairs_file_t *file, int32_t score,
                             char text[HALVES_TEXT_BYTES]);

/* @return "m" or "eqx", or NULL if the file does not say */
const char *pairs_cigar_style(const pairs_file_t *file);

/* @return [n_rows] abundances, or NULL: all are 1 */
const int64_t *pairs_sizes(const pairs_file_t *file);

/* @return the text of the job that made the file: lines "name=value" */
const char *pairs_job(const pairs_file_t *file);

/* @return the value of such a line, up to the end of the line, or NULL: there is none */
const char *pairs_job_value(const pairs_file_t *file, const char *name);

/* @return whether overlaps of any length have an identity: --min-overlap 0 */
bool pairs_any_overlap(const pairs_file_t *file);

/* @return the alphabet of the sequences */
alphabet_t pairs_alphabet(const pairs_file_t *file);

/* Opening and closing a result file, dense or of hits. */

/* Open a result file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (no result file) */
status_t pairs_open(const char *path, pairs_file_t **out) MUST_CHECK;

/* Takes NULL. */
void pairs_close(pairs_file_t *file);

/* Printing the metadata of a result file. */

/* Print lines of three columns, separated by tabs: "file", "job" or "run", a name, a
 * value.  The caller checks `to` for errors. @return ST_OK, ST_ENOMEM, ST_EIO or
 * ST_EINPUT (damaged; logged) */
status_t pairs_describe(const pairs_file_t *file, FILE *to) MUST_CHECK;

#endif
