/*
 * class_rule.c - logistic regression by Newton's method (iteratively reweighted least
 * squares) with a small ridge, and thresholds from the absent examples.
 */
#include "kernels/classify/class_rule.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 50 };

#define RIDGE 1e-3 /* keeps weights finite where a term separates the examples */

static void terms_of(const class_evidence_t *e, double t[CLASS_RULE_TERMS])
{
    t[0] = 1;
    t[1] = e->support;
    t[2] = e->bits;
    t[3] = e->margin;
    t[4] = e->identity;
    t[5] = e->identity - e->rival_identity;
    t[6] = log2(1 + e->n_refs);
    t[7] = e->support * e->support;
}

static double probability_of(const double *weight, const double *t)
{
    double z = 0;

    for (int i = 0; i < CLASS_RULE_TERMS; i++)
        z += weight[i] * t[i];
    return 1 / (1 + exp(-z));
}

double class_rule_probability(const class_rule_t *rule, const class_evidence_t *e)
{
    double t[CLASS_RULE_TERMS];

    terms_of(e, t);
    return probability_of(rule->weight, t);
}

double class_rule_threshold(const class_rule_t *rule, double novelty_rate)
{
    const int last = CLASS_RULE_RATES - 1;

    if (!(novelty_rate > 0))
        return rule->threshold[0];
    if (novelty_rate >= 1)
        return rule->threshold[last];
    return rule->threshold[(int)floor(novelty_rate * last + 1e-9)];
}

/* Solve a x = b by Cholesky's factorisation, in place; a is symmetric and positive
 * definite.  x replaces b. */
static void solve(double a[CLASS_RULE_TERMS][CLASS_RULE_TERMS], double *b)
{
    const int n = CLASS_RULE_TERMS;

    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = a[i][j];

            for (int k = 0; k < j; k++)
                s -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(s) : s / a[j][j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
}

/* One step of Newton's method. @return the largest change of a weight */
static double newton_step(const class_evidence_t *evidence, const class_truth_t *truth,
                          int64_t n, double *weight)
{
    double a[CLASS_RULE_TERMS][CLASS_RULE_TERMS] = {{0}};
    double step[CLASS_RULE_TERMS];
    double largest = 0;

    for (int i = 0; i < CLASS_RULE_TERMS; i++) {
        a[i][i] = RIDGE;
        step[i] = -RIDGE * weight[i];
    }
    for (int64_t k = 0; k < n; k++) {
        double t[CLASS_RULE_TERMS];

        terms_of(&evidence[k], t);
        double p = probability_of(weight, t);
        for (int i = 0; i < CLASS_RULE_TERMS; i++) {
            step[i] += ((truth[k] == CLASS_RIGHT) - p) * t[i];
            for (int j = 0; j <= i; j++)
                a[i][j] += p * (1 - p) * t[i] * t[j];
        }
    }
    solve(a, step);
    for (int i = 0; i < CLASS_RULE_TERMS; i++) {
        weight[i] += step[i];
        largest = fmax(largest, fabs(step[i]));
    }
    return largest;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* The k most probable of n absent examples may get a name: the threshold is the
 * probability of the next one. */
static void thresholds_of(double *p, int64_t n, double *threshold)
{
    qsort(p, (size_t)n, sizeof(*p), descending);
    for (int rate = 0; rate < CLASS_RULE_RATES; rate++) {
        int64_t k = n * rate / (CLASS_RULE_RATES - 1);

        threshold[rate] = k < n ? p[k] : 0;
    }
}

status_t class_rule_learn(const class_evidence_t *evidence, const class_truth_t *truth,
                          int64_t n, class_rule_t *out)
{
    int64_t n_right = 0, n_absent = 0;
    double *absent = malloc((size_t)n * sizeof(*absent) + 1);
    class_rule_t rule = {0};

    if (absent == NULL)
        return ST_ENOMEM;
    for (int64_t k = 0; k < n; k++)
        n_right += truth[k] == CLASS_RIGHT;
    for (int step = 0; step < MAX_STEPS; step++)
        if (newton_step(evidence, truth, n, rule.weight) < 1e-9)
            break;
    for (int64_t k = 0; k < n; k++)
        if (truth[k] == CLASS_ABSENT)
            absent[n_absent++] = class_rule_probability(&rule, &evidence[k]);
    if (n_right > 0 && n_absent > 0) {
        thresholds_of(absent, n_absent, rule.threshold);
        *out = rule;
    } else {
        log_error("a rule of names cannot be learned: %lld examples of a right taxon and "
                  "%lld of an absent one; add references",
                  (long long)n_right, (long long)n_absent);
    }
    free(absent);
    return n_right > 0 && n_absent > 0 ? ST_OK : ST_EINPUT;
}
