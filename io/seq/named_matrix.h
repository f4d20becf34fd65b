/*
 * named_matrix.h - score matrices that users may name instead of a file.
 *
 * NUC.4.4: 5 and -4; codes by the probability that two bases are equal, rounded (T. Lowe
 * 1992, as NCBI distributes it).  EMBOSS calls it EDNAFULL.
 *
 * BLASTN.2.3: blastn's for 2 and -3; a code scores the mean over the bases that it stands
 * for, rounded.
 *
 * BLOSUM62: score_matrix.h.
 */
#ifndef RIBOGRID_IO_SEQ_NAMED_MATRIX_H
#define RIBOGRID_IO_SEQ_NAMED_MATRIX_H

#include "io/seq/score_matrix.h"

/* Find a matrix by its name. @return whether there is one */
bool named_matrix_find(const char *name, score_matrix_t *out);

#endif
