/*
 * matrix_file.h - reads a table of scores a pair of letters, in NCBI's format (as
 * NUC.4.4).
 *
 * '#' starts a comment; the first line names the columns, each further one a row's letter
 * and its scores.  A column or row '*' is passed over.
 */
#ifndef RIBOGRID_IO_SEQ_MATRIX_FILE_H
#define RIBOGRID_IO_SEQ_MATRIX_FILE_H

#include "io/base/status.h"
#include "io/seq/alphabet.h"

enum { MATRIX_SCORE_MAX = 1000000 };

typedef struct {
    bool has[ALPHABET_SIZE];                     /* the letters that it scores, by code */
    int32_t score[ALPHABET_SIZE][ALPHABET_SIZE]; /* [code][code], symmetric */
} score_matrix_t;

/*
 * Read a matrix.
 *
 * Refused, in one line with file and line: letters of no nucleotide, a table without A,
 * C, G and T, one that is not symmetric or not whole, scores beyond MATRIX_SCORE_MAX, and
 * a base that scores no more with itself than with another.
 *
 * @return ST_OK, ST_EIO or ST_EINPUT
 */
status_t matrix_file_read(const char *path, score_matrix_t *out) MUST_CHECK;

#endif
