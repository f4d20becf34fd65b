/*
 * pairs_read.h - reading parts of a result file: rectangles of its matrices, CIGARs,
 * sequences, members, samples.
 */
#pragma once

#include "io/base/buf.h"
#include "io/pairs/pairs_file.h"
#include "io/seq/seqset.h"

/*
 * Read rows row0 .. row1-1, columns col0 .. col1-1 of an n x n dataset.
 *
 * @param out  [(row1 - row0) x (col1 - col0)] row by row
 * @return ST_OK or ST_EIO
 */
status_t pairs_read(const pairs_file_t *file, pairs_dataset_t dataset, int64_t row0,
                    int64_t row1, int64_t col0, int64_t col1, int32_t *out) MUST_CHECK;

/* Read where the CIGARs of a rectangle start in /cigar; parameters as of pairs_read. */
status_t pairs_read_cigar_offsets(const pairs_file_t *file, int64_t row0, int64_t row1,
                                  int64_t col0, int64_t col1, int64_t *out) MUST_CHECK;

/*
 * Read bytes begin .. end-1 of /cigar.
 *
 * @param out  emptied, then filled
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (beyond the end of /cigar)
 */
status_t pairs_read_cigar_text(const pairs_file_t *file, int64_t begin, int64_t end,
                               buf_t *out) MUST_CHECK;

/* Read names and bases of /sequences. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t pairs_read_sequences(const pairs_file_t *file, seqset_t **out) MUST_CHECK;

/* Append a tile's chunk of an n x n dataset as h5data_read_stored does.
 * @return ST_OK, ST_ENOMEM or ST_EIO */
status_t pairs_read_stored(const pairs_file_t *file, pairs_dataset_t dataset, int64_t row,
                           int64_t column, int64_t side, buf_t *out,
                           bool *is_such) MUST_CHECK;

/* @return whether the file has members: its sequences are dereplicated records */
bool pairs_has_members(const pairs_file_t *file);

/* Read a text of /run. @param out  yours, or NULL: there is none
 * @return ST_OK or ST_EINPUT (logged: /run is missing or damaged) */
status_t pairs_run_text(const pairs_file_t *file, const char *name,
                        char **out) MUST_CHECK;

/*
 * Read the members, which are the sequences themselves if the file has no /members.
 *
 * @param out  to be freed with pairs_members_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_read_members(const pairs_file_t *file, pairs_members_t *out) MUST_CHECK;
void pairs_members_free(pairs_members_t *members);

/*
 * Read the samples; n = 0 if the file has none.
 *
 * @param out  to be freed with pairs_samples_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_read_samples(const pairs_file_t *file, pairs_samples_t *out) MUST_CHECK;
void pairs_samples_free(pairs_samples_t *samples);
