/*
 * evalue.c - the law's parameters for BLOSUM62, and its areas of lengths.
 */
#include "io/pairs/evalue.h"

#include "io/seq/matrix_file.h"

#include <math.h>
#include <stdlib.h>

/* By costs of gaps: a gap of k residues costs existence + k x extension.  The numbers are
 * NCBI's. */
typedef struct {
    int existence, extension;
    double lambda, k, a, alpha, sigma;
} row_t;

static const row_t blosum62[] = {{11, 2, 0.297, 0.082, 1.1, 12.6738, 12.7576},
                                 {10, 2, 0.291, 0.075, 1.3, 16.474, 16.6026},
                                 {9, 2, 0.279, 0.058, 1.5, 22.7519, 22.95},
                                 {8, 2, 0.264, 0.045, 1.8, 35.4838, 35.8213},
                                 {7, 2, 0.239, 0.027, 2.5, 61.2383, 61.886},
                                 {6, 2, 0.201, 0.012, 3.3, 140.417, 141.882},
                                 {13, 1, 0.292, 0.071, 1.2, 19.5063, 19.8931},
                                 {12, 1, 0.283, 0.059, 1.5, 27.8562, 28.4699},
                                 {11, 1, 0.267, 0.041, 1.9, 42.6028, 43.6362},
                                 {10, 1, 0.243, 0.024, 2.5, 83.1787, 85.0656},
                                 {9, 1, 0.206, 0.010, 4.0, 210.333, 214.842}};

enum { N_ROWS = sizeof(blosum62) / sizeof(blosum62[0]) };

/* Of alignments without gaps. */
static const double plain_a = 0.7916, plain_alpha = 4.96466;

const char evalue_known[] = "--matrix BLOSUM62 with --gap-extend 1 and --gap-open 10 to "
                            "14, or --gap-extend 2 and "
                            "--gap-open 8 to 13";

static bool is_blosum62(uint64_t digest)
{
    score_matrix_t matrix;

    return named_matrix_find("BLOSUM62", &matrix) &&
           digest == score_matrix_digest(matrix.alphabet, matrix.score);
}

/* @return the row of the table for costs of gaps, or NULL */
static const row_t *row_of(int64_t open, int64_t extension)
{
    for (int i = 0; i < N_ROWS; i++)
        if (blosum62[i].extension == extension &&
            blosum62[i].existence == open - extension)
            return &blosum62[i];
    return NULL;
}

bool evalue_find(uint64_t matrix_digest, int64_t gap_open, int64_t gap_extend,
                 double letters, evalue_t *out)
{
    const row_t *row = row_of(gap_open, gap_extend);
    double gap;

    if (row == NULL || !is_blosum62(matrix_digest))
        return false;
    gap = 2.0 * (row->existence + row->extension);
    *out = (evalue_t){.lambda = row->lambda,
                      .k = row->k,
                      .a = row->a,
                      .b = gap * (plain_a - row->a),
                      .alpha = row->alpha,
                      .beta = gap * (plain_alpha - row->alpha),
                      .sigma = row->sigma,
                      .tau = gap * (plain_alpha - row->sigma),
                      .letters = letters};
    return true;
}

/* Where an alignment may begin in one sequence: the length less that of the alignment,
 * which is normally distributed.  @param chance  set: that the alignment fits */
static double room(double len, double mean, double variance, double *chance)
{
    const double spread = sqrt(variance), left = len - mean, at = left / spread;

    *chance = erfc(-at / sqrt(2)) / 2;
    return left * *chance + spread * exp(-at * at / 2) / sqrt(2 * M_PI);
}

double evalue_of(const evalue_t *l, int64_t score, int64_t m, int64_t n)
{
    const double y = (double)score, mean = l->a * y + l->b;
    const double variance = fmax(2 * l->alpha / l->lambda, l->alpha * y + l->beta);
    const double covariance = fmax(2 * l->sigma / l->lambda, l->sigma * y + l->tau);
    double chance_m, chance_n;
    double area = room((double)m, mean, variance, &chance_m) *
                  room((double)n, mean, variance, &chance_n);

    area += covariance * chance_m * chance_n;
    return area * l->k * exp(-l->lambda * y) * l->letters / fmax((double)n, 1);
}

/*
 * The room in a sequence is at least its length less the mean length of the alignment (it
 * is the mean of the positive ones of such differences), so without the rest an E-value
 * is only smaller.  That rules out most scores by one exponential.
 */
bool evalue_reached(const evalue_t *l, int64_t score, int64_t m, int64_t n, double max)
{
    const double mean = l->a * (double)score + l->b;
    const double left_m = (double)m - mean, left_n = (double)n - mean;
    const double margin = 1 + 1e-6; /* of rounding */

    if (left_m > 0 && left_n > 0 &&
        left_m * left_n * l->k * exp(-l->lambda * (double)score) * l->letters /
                (double)n >
            margin * max)
        return false;
    return evalue_of(l, score, m, n) <= max;
}

double evalue_bits(const evalue_t *l, int64_t score)
{
    return (l->lambda * (double)score - log(l->k)) / M_LN2;
}
