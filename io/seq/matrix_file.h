/*
 * matrix_file.h - reads score matrices in NCBI format, such as NUC.4.4 and BLOSUM62.
 *
 * '#' starts a comment.  The first line has the letters of the columns; each further line
 * has the letter of a row and its scores.  For DNA a column or row '*' is ignored;
 * letters of proteins that are absent have the scores of X.
 */
#pragma once

#include "io/base/status.h"
#include "io/seq/alphabet.h"

enum { MATRIX_SCORE_MAX = 1000000 };

/* A score for each pair of letters, and the matrix BLOSUM62. */

typedef struct {
    alphabet_t alphabet;
    bool has[ALPHABET_SIZE]; /* by code: whether the matrix scores the letter */
    int32_t score[ALPHABET_SIZE][ALPHABET_SIZE]; /* [code][code], symmetric */
} score_matrix_t;

/* Give the letters of proteins that a matrix lacks the scores of X, if it has X. */
void score_matrix_fill_by_x(score_matrix_t *m);

/*
 * Read a matrix, or take the one that is known by this name.
 *
 * Errors are: letters of another alphabet, a missing base or amino acid, an incomplete or
 * asymmetric matrix, scores beyond MATRIX_SCORE_MAX, and a base that scores no higher
 * with itself than with another.
 *
 * @return ST_OK, ST_EIO or ST_EINPUT; errors are logged with file and line
 */
status_t matrix_file_read(const char *path, alphabet_t alphabet,
                          score_matrix_t *out) MUST_CHECK;

/* @return whether a matrix from elsewhere is one that matrix_file_read could give */
bool score_matrix_is_valid(const score_matrix_t *m, alphabet_t alphabet);

/* @return a digest of the scores of an alphabet's codes, one row after the other */
uint64_t score_matrix_digest(alphabet_t alphabet,
                             const int32_t score[ALPHABET_SIZE][ALPHABET_SIZE]);

/* Score matrices that users may name instead of a file.
 *
 * NUC.4.4: 5 and -4; codes by the probability that two bases are equal, rounded (T. Lowe
 * 1992, as NCBI distributes it).  EMBOSS calls it EDNAFULL.
 *
 * BLASTN.2.3: blastn's for 2 and -3; a code scores the mean over the bases that it stands
 * for, rounded.
 *
 * BLOSUM62 (Henikoff and Henikoff 1992): in half bits, as NCBI distributes it: of the 20
 * amino acids, B, Z, X and '*'.  J, O and U have the scores of X. */

/* Find a matrix by its name. @return whether there is one */
bool named_matrix_find(const char *name, score_matrix_t *out);
