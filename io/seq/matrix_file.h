/*
 * matrix_file.h - reads score matrices in NCBI format, such as NUC.4.4 and BLOSUM62.
 *
 * '#' starts a comment.  The first line has the letters of the columns; each further line
 * has the letter of a row and its scores.  For DNA a column or row '*' is ignored;
 * letters of proteins that are absent have the scores of X.
 */
#ifndef RIBOGRID_IO_SEQ_MATRIX_FILE_H
#define RIBOGRID_IO_SEQ_MATRIX_FILE_H

#include "io/base/status.h"
#include "io/seq/score_matrix.h"

enum { MATRIX_SCORE_MAX = 1000000 };

/*
 * Read a matrix, or take the one that named_matrix.h has by this name.
 *
 * Errors are: letters of another alphabet, a missing base or amino acid, an incomplete or
 * asymmetric matrix, scores beyond MATRIX_SCORE_MAX, and a base that scores no higher
 * with itself than with another.
 *
 * @return ST_OK, ST_EIO or ST_EINPUT; errors are logged with file and line
 */
status_t matrix_file_read(const char *path, alphabet_t alphabet,
                          score_matrix_t *out) MUST_CHECK;

#endif
