/*
 * comp_scores.h - scores for the composition of two proteins.
 *
 * The scores of a matrix fit proteins whose amino acids are as frequent as the matrix
 * implies (comp_law.h).  Between proteins of other compositions unrelated residues score
 * more, and E-values are too low.  There are two remedies:
 *
 *  - to scale all scores by the ratio of lambda for the two compositions to that of the
 *    matrix (Schaeffer et al. 2001, Nucleic Acids Res 29:2994), which only lowers them;
 *  - to adjust the target frequencies: of all whose sums are the two compositions and
 * whose relative entropy is the matrix's own, those closest to the matrix's (Yu and
 * Altschul 2005, Bioinformatics 21:902).  Where the lengths and compositions of the
 * proteins are too different, their scores are scaled instead (Altschul et al. 2005, FEBS
 * J 272:5101).
 */
#pragma once

#include "kernels/align/composition/comp_law.h"

typedef enum { COMP_OFF, COMP_SCALE, COMP_ADJUST } comp_mode_t;

extern const char *const comp_mode_name[3]; /* "off", "scale", "adjust" */

/* Scores are multiplied by it, so that rounding hardly changes them. */
enum { COMP_UNIT = 32 };

/* How often each amino acid occurs; other letters are not counted. */
typedef struct {
    double count[COMP_AA], n;
} comp_counts_t;

comp_counts_t comp_scores_count(const uint8_t *codes, int64_t len);

/*
 * Compute the scores of two proteins, for residues of the first by those of the second.
 *
 * @param how  COMP_SCALE or COMP_ADJUST
 * @param out  in units of 1 / COMP_UNIT
 * @return how it was done: where adjusting is not possible, scores are scaled
 */
comp_mode_t comp_scores(const comp_law_t *law, comp_mode_t how, const comp_counts_t *a,
                        const comp_counts_t *b, int32_t out[COMP_AA][COMP_AA]);

/*
 * Find the target frequencies for two compositions.
 *
 * @param p, r     frequencies, all above 0, with a sum of 1
 * @param entropy  relative to p and r, in nats
 * @param out      their logarithms
 * @return whether they were found; not if the entropy is more than p and r allow
 */
bool comp_scores_targets(const comp_law_t *law, const double p[COMP_AA],
                         const double r[COMP_AA], double entropy,
                         double out[COMP_AA][COMP_AA]);
