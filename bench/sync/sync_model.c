/*
 * sync_model.c - fits the model with each choice of terms, and takes the best fit without
 * a negative one.
 */
#include "bench/sync/sync_model.h"

#include <math.h>

enum { TERMS = SYNC_MODEL_TERMS };

const char *const sync_model_term[TERMS] = {"fixed", "check", "far", "atomic", "crowd"};

static void factors(int blocks, int n_cores, double out[TERMS])
{
    out[SYNC_MODEL_FIXED] = 1;
    out[SYNC_MODEL_CHECK] = blocks > 1;
    out[SYNC_MODEL_FAR] = blocks > SYNC_MODEL_NEAR;
    out[SYNC_MODEL_ATOMIC] = blocks;
    out[SYNC_MODEL_CROWD] = (blocks + n_cores - 1) / n_cores - 1;
}

double sync_model_at(const sync_model_t *model, int blocks, int n_cores)
{
    double of[TERMS], sum = 0;

    factors(blocks, n_cores, of);
    for (int i = 0; i < TERMS; i++)
        sum += of[i] * model->s[i];
    return sum;
}

/* Solve a x = b by Gauss-Jordan elimination. @return whether there is one solution */
static int solve(double a[TERMS][TERMS + 1], int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;

        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        if (fabs(a[pivot][k]) < 1e-12)
            return 0;
        for (int j = 0; j <= n; j++) {
            const double swap = a[k][j];

            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (int i = 0; i < n; i++) {
            const double f = i == k ? 0 : a[i][k] / a[k][k];

            for (int j = k; j <= n; j++)
                a[i][j] -= f * a[k][j];
        }
    }
    return 1;
}

/* Fit the terms of a set. @return whether none is negative */
static int fit(unsigned terms, const int *blocks, const double *s, int n, int n_cores,
               sync_model_t *out)
{
    double sums[TERMS][TERMS + 1] = {{0}}, max[TERMS] = {0};
    int at[TERMS], n_terms = 0;

    for (int i = 0; i < TERMS; i++)
        if ((terms >> i & 1) != 0)
            at[n_terms++] = i;
    for (int pass = 0; pass < 2; pass++) /* the first one finds the scale of each term */
        for (int k = 0; k < n; k++) {
            double of[TERMS];

            factors(blocks[k], n_cores, of);
            for (int i = 0; i < n_terms; i++) {
                const double x = of[at[i]] / s[k];

                if (pass == 0)
                    max[i] = fmax(max[i], x);
                else if (max[i] > 0)
                    sums[i][n_terms] += x / max[i];
                for (int j = 0; pass == 1 && j < n_terms; j++)
                    if (max[i] > 0 && max[j] > 0)
                        sums[i][j] += x / max[i] * of[at[j]] / s[k] / max[j];
            }
        }
    *out = (sync_model_t){{0}};
    if (!solve(sums, n_terms))
        return 0;
    for (int i = 0; i < n_terms; i++) {
        out->s[at[i]] = sums[i][n_terms] / sums[i][i] / max[i];
        if (!(out->s[at[i]] >= 0))
            return 0;
    }
    return 1;
}

sync_model_t sync_model_fit(const int *blocks, const double *s, int n, int n_cores)
{
    sync_model_t best = {{0}};
    double least = INFINITY;

    for (unsigned terms = 1; terms < 1u << TERMS; terms++) {
        sync_model_t model;
        double sum = 0;

        if (!fit(terms, blocks, s, n, n_cores, &model))
            continue;
        for (int k = 0; k < n; k++) {
            const double error = sync_model_at(&model, blocks[k], n_cores) / s[k] - 1;

            sum += error * error;
        }
        if (sum < least - 1e-12) {
            least = sum;
            best = model;
        }
    }
    return best;
}
