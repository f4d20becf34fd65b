/*
 * matrix_file.h - reads score matrices in NCBI format, such as NUC.4.4.
 *
 * '#' starts a comment.  The first line has the letters of the columns; each further line
 * has the letter of a row and its scores.  A column or row '*' is ignored.
 */
#ifndef RIBOGRID_IO_SEQ_MATRIX_FILE_H
#define RIBOGRID_IO_SEQ_MATRIX_FILE_H

#include "io/base/status.h"
#include "io/seq/alphabet.h"

enum { MATRIX_SCORE_MAX = 1000000 };

typedef struct {
    bool has[ALPHABET_SIZE]; /* by code: whether the matrix contains the letter */
    int32_t score[ALPHABET_SIZE][ALPHABET_SIZE]; /* [code][code], symmetric */
} score_matrix_t;

/*
 * Read a matrix.
 *
 * Errors are: letters that are not nucleotides, a missing A, C, G or T, an incomplete or
 * asymmetric matrix, scores beyond MATRIX_SCORE_MAX, and a base that scores no higher
 * with itself than with another.
 *
 * @return ST_OK, ST_EIO or ST_EINPUT; errors are logged with file and line
 */
status_t matrix_file_read(const char *path, score_matrix_t *out) MUST_CHECK;

#endif
