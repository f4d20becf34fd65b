/*
 * comp_law.h - the frequencies that a score matrix of proteins implies.
 *
 * A matrix of log-odds scores has, for any scale, the form ln(q_ij / (p_i p_j)) / lambda.
 * Scores that are neither all negative nor positive in the mean determine lambda, the
 * background frequencies p and the target frequencies q, whose sums are p (Yu, Wootton
 * and Altschul 2003, PNAS 100:15688).
 */
#pragma once

#include "kernels/align/common/align_spec.h"

enum { COMP_AA = 20 };

/* Codes of the amino acids, in the order of all arrays here. */
extern const uint8_t comp_law_code[COMP_AA];

typedef struct {
    double lambda;                       /* nats per unit of score */
    double background[COMP_AA];          /* p */
    double log_target[COMP_AA][COMP_AA]; /* ln q */
    double entropy;                      /* of q relative to p p, in nats */
    int32_t score[COMP_AA][COMP_AA];     /* the matrix */
} comp_law_t;

/* @return whether a matrix implies frequencies, all above 0 */
bool comp_law_find(const align_scoring_t *scoring, comp_law_t *out);

/*
 * Find lambda: the positive one for which scores of residues with frequencies p and r
 * have a mean of exp(lambda x score) of 1 (Karlin and Altschul 1990).
 *
 * @return it, or 0: the mean score is not below 0, or no score is above 0
 */
double comp_law_lambda(const comp_law_t *law, const double p[COMP_AA],
                       const double r[COMP_AA]);
