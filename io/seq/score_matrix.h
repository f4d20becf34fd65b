/*
 * score_matrix.h - a score for each pair of letters, and the matrix BLOSUM62.
 */
#ifndef RIBOGRID_IO_SEQ_SCORE_MATRIX_H
#define RIBOGRID_IO_SEQ_SCORE_MATRIX_H

#include "io/seq/alphabet.h"

typedef struct {
    alphabet_t alphabet;
    bool has[ALPHABET_SIZE]; /* by code: whether the matrix scores the letter */
    int32_t score[ALPHABET_SIZE][ALPHABET_SIZE]; /* [code][code], symmetric */
} score_matrix_t;

/*
 * BLOSUM62 (Henikoff and Henikoff 1992) in half bits, as NCBI distributes it: of the 20
 * amino acids, B, Z, X and '*'.  J, O and U have the scores of X.
 */
void score_matrix_blosum62(score_matrix_t *out);

/* Give the letters of proteins that a matrix lacks the scores of X, if it has X. */
void score_matrix_fill_by_x(score_matrix_t *m);

#endif
