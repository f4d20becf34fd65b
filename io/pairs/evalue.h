/*
 * evalue.h - E-values and bit scores of local alignments of proteins.
 *
 * The E-value of a score is how many alignments with at least that score are expected
 * between the query and all references, if the query and they were unrelated.  It follows
 * Gumbel's law for sequences of finite length (Park, Sheetlin, Ma, Madden, Spouge 2012,
 * BMC Res Notes 5:286), whose parameters NCBI has measured for BLOSUM62 and some costs of
 * gaps; blastp without adjustment by composition has the same numbers.
 */
#pragma once

#include "io/pairs/pairs_file.h"

#include <stdbool.h>
#include <stdint.h>

/* The law for one set of scores. */
typedef struct {
    double lambda, k;   /* of the scores */
    double a, b;        /* mean length of an alignment: a x score + b */
    double alpha, beta; /* its variance: alpha x score + beta */
    double sigma, tau;  /* covariance of the lengths in both sequences */
    double letters;     /* of all references */
} evalue_t;

/*
 * Find the law of local alignments of proteins.
 *
 * @param matrix_digest  score_matrix_digest of the scores
 * @param gap_open, gap_extend  costs of a gap's first residue, and of each further one
 * @param letters  of all references
 * @return whether it is known: of BLOSUM62, with gaps whose law NCBI has measured
 */
bool evalue_find(uint64_t matrix_digest, int64_t gap_open, int64_t gap_extend,
                 double letters, evalue_t *out);

/* Find the law of a file's scores; the letters are those of its references, or what its
 * job was given instead (PAIRS_JOB_DB_SIZE). @return whether it is known */
bool evalue_begin(const pairs_file_t *file, evalue_t *out);

/* The same for what needs the law of a file's scores, an option of the command line.
 * @return ST_OK or ST_EINPUT (logged) */
status_t evalue_require(const pairs_file_t *file, const char *option,
                        evalue_t *out) MUST_CHECK;

/* @param m, n  lengths of query and reference */
double evalue_of(const evalue_t *law, int64_t score, int64_t m, int64_t n);

/* @return whether the E-value of a score is at most `max`; fast for low scores */
bool evalue_reached(const evalue_t *law, int64_t score, int64_t m, int64_t n, double max);

double evalue_bits(const evalue_t *law, int64_t score);

/* What evalue_begin takes, for messages: the costs of gaps for BLOSUM62. */
extern const char evalue_known[];
