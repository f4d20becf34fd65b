/*
 * comp_law.c - solves for the frequencies and the scale of a matrix.
 */
#include "kernels/align/composition/comp_law.h"

#include <math.h>

/* A R N D C Q E G H I L K M F P S T W Y V */
const uint8_t comp_law_code[COMP_AA] = {1,  18, 14, 4, 3,  17, 5,  7,  8,  9,
                                        12, 11, 13, 6, 16, 19, 20, 23, 25, 22};

/* Where lambda is looked for, per unit of score, and the steps that bracket it. */
static const double LAMBDA_MIN = 0.02, LAMBDA_MAX = 2, LAMBDA_STEP = 1.05;

enum { BISECTIONS = 100 };

/* Solve a x = (1 ... 1) by Gaussian elimination with partial pivoting.
 * @return whether there is one solution */
static bool solve_ones(double a[COMP_AA][COMP_AA], double x[COMP_AA])
{
    for (int i = 0; i < COMP_AA; i++)
        x[i] = 1;
    for (int k = 0; k < COMP_AA; k++) {
        int pivot = k;

        for (int i = k + 1; i < COMP_AA; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        if (a[pivot][k] == 0)
            return false;
        for (int j = 0; j < COMP_AA; j++) {
            const double swapped = a[k][j];

            a[k][j] = a[pivot][j];
            a[pivot][j] = swapped;
        }
        const double swapped = x[k];

        x[k] = x[pivot];
        x[pivot] = swapped;
        for (int i = k + 1; i < COMP_AA; i++) {
            const double factor = a[i][k] / a[k][k];

            for (int j = k; j < COMP_AA; j++)
                a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = COMP_AA - 1; k >= 0; k--) {
        for (int j = k + 1; j < COMP_AA; j++)
            x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
    return true;
}

/* Find p for which sum_j exp(lambda s_ij) p_j is 1 for all i.
 * @return the sum of p less 1, or NAN unless all are positive */
static double excess(const comp_law_t *law, double lambda, double p[COMP_AA])
{
    double a[COMP_AA][COMP_AA], sum = -1;

    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++)
            a[i][j] = exp(lambda * law->score[i][j]);
    if (!solve_ones(a, p))
        return NAN;
    for (int i = 0; i < COMP_AA; i++) {
        if (!(p[i] > 0))
            return NAN;
        sum += p[i];
    }
    return sum;
}

/* The sum of p falls with lambda. @return whether it is 1 somewhere */
static bool find_scale(comp_law_t *law)
{
    double low = LAMBDA_MIN, high, at_low = NAN;

    for (high = LAMBDA_MIN; high < LAMBDA_MAX; high *= LAMBDA_STEP) {
        const double at = excess(law, high, law->background);

        if (at <= 0 && at_low > 0)
            break;
        low = high;
        at_low = at;
    }
    if (high >= LAMBDA_MAX)
        return false;
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = (low + high) / 2;

        if (excess(law, middle, law->background) > 0)
            low = middle;
        else
            high = middle;
    }
    law->lambda = high;
    return !isnan(excess(law, high, law->background));
}

bool comp_law_find(const align_scoring_t *scoring, comp_law_t *out)
{
    comp_law_t law = {.entropy = 0};

    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++)
            law.score[i][j] = scoring->score[comp_law_code[i]][comp_law_code[j]];
    if (!find_scale(&law))
        return false;
    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++) {
            const double odds = law.lambda * law.score[i][j];

            law.log_target[i][j] = log(law.background[i]) + log(law.background[j]) + odds;
            law.entropy += exp(law.log_target[i][j]) * odds;
        }
    *out = law;
    return true;
}

/* exp(lambda s) is convex in lambda, and so is the mean: 1 at 0, where it falls, and once
 * more at lambda, where it rises.  Newton's steps from the right end there. */
double comp_law_lambda(const comp_law_t *law, const double p[COMP_AA],
                       const double r[COMP_AA])
{
    double lambda = LAMBDA_MAX, mean = 0, best = 0;

    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++) {
            mean += p[i] * r[j] * law->score[i][j];
            if (p[i] * r[j] > 0)
                best = fmax(best, law->score[i][j]);
        }
    if (mean >= 0 || best <= 0)
        return 0;
    for (int k = 0; k < BISECTIONS; k++) {
        double value = -1, slope = 0, step;

        for (int i = 0; i < COMP_AA; i++)
            for (int j = 0; j < COMP_AA; j++) {
                const double odds = p[i] * r[j] * exp(lambda * law->score[i][j]);

                value += odds;
                slope += odds * law->score[i][j];
            }
        step = value / slope;
        lambda -= step;
        if (fabs(step) < 1e-12)
            break;
    }
    return lambda;
}
