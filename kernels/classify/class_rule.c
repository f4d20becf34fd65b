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

#define RIDGE        1e-3 /* keeps weights finite where a term separates the examples */
#define STEP_MAX     5.   /* of a weight */
#define IDENTITY_MIN 0.8  /* lower ones count as this */

/* Weights of examples relative to right ones: names that are wrong at one distance may be
 * right at another one, names of absent taxa are never right. */
#define WEIGHT_WRONG  0.3
#define WEIGHT_ABSENT 3.
#define WEIGHT_RARE   5. /* the maximum for right examples of a group with few of them */

/* @return a logarithm of 1 - x that is finite for x = 1 */
static double log_rest(double x)
{
    return log(1 - x + 0.002);
}

static void terms_of(class_method_t method, class_prior_t prior,
                     const class_evidence_t *e, double t[CLASS_RULE_TERMS])
{
    const double identity = fmax(e->identity, IDENTITY_MIN);
    const double rival = fmax(e->rival_identity, IDENTITY_MIN);

    t[0] = 1;
    /* Large genera are sampled more often than small ones: a rule that prefers them does
     * better on what resembles the references, and worse on one read of each genus. */
    t[1] = prior == CLASS_PRIOR_REFERENCES ? log(fmax(e->n_refs, 1)) : 0;
    t[2] = e->n_refs == 1;
    t[3] = e->likeness;
    t[4] = method == CLASS_ALIGN ? identity : e->covered;
    t[5] = log_rest(t[4]);
    t[6] = method == CLASS_ALIGN ? identity - rival : sqrt(fmax(e->margin, 0));
    t[7] = method == CLASS_ALIGN ? log_rest(rival) : e->support;
    t[8] = method == CLASS_JOINT ? e->lead : 0;
}

static double probability_of(const double *weight, const double *t)
{
    double z = 0;

    for (int i = 0; i < CLASS_RULE_TERMS; i++)
        z += weight[i] * t[i];
    return 1 / (1 + exp(-z));
}

double class_rule_probability(class_method_t method, const class_rule_t *rule,
                              const class_evidence_t *e)
{
    double t[CLASS_RULE_TERMS];

    if (method == CLASS_NBC)
        return e->support;
    terms_of(method, CLASS_PRIOR_REFERENCES, e, t); /* equal ones have learned 0 for it */
    return probability_of(rule->weight, t);
}

double class_rule_absent_probability(class_method_t method, const class_rule_t *rule,
                                     const class_example_t *e)
{
    return e->truth == CLASS_ABSENT_ABOVE
               ? 0
               : class_rule_probability(method, rule, &e->evidence);
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

/* @param weight_of  [CLASS_GROUPS_MAX] of the right examples of a group */
static double example_weight(const class_example_t *e, const double *weight_of)
{
    return e->truth == CLASS_RIGHT   ? weight_of[e->group]
           : e->truth == CLASS_WRONG ? WEIGHT_WRONG * weight_of[e->group]
                                     : WEIGHT_ABSENT;
}

/* One step of Newton's method. @return the largest change of a weight */
static double newton_step(class_method_t method, class_prior_t prior,
                          const class_example_t *examples, int64_t n,
                          const double *weight_of, double *weight)
{
    double a[CLASS_RULE_TERMS][CLASS_RULE_TERMS] = {{0}};
    double step[CLASS_RULE_TERMS];
    double largest = 0;

    for (int i = 0; i < CLASS_RULE_TERMS; i++) {
        a[i][i] = RIDGE;
        step[i] = -RIDGE * weight[i];
    }
    for (int64_t k = 0; k < n; k++) {
        const double w = example_weight(&examples[k], weight_of);
        double t[CLASS_RULE_TERMS], p;

        terms_of(method, prior, &examples[k].evidence, t);
        p = probability_of(weight, t);
        for (int i = 0; i < CLASS_RULE_TERMS; i++) {
            step[i] += w * ((examples[k].truth == CLASS_RIGHT) - p) * t[i];
            for (int j = 0; j <= i; j++)
                a[i][j] += w * p * (1 - p) * t[i] * t[j];
        }
    }
    solve(a, step);
    for (int i = 0; i < CLASS_RULE_TERMS; i++)
        largest = fmax(largest, fabs(step[i]));
    for (int i = 0; i < CLASS_RULE_TERMS; i++)
        weight[i] += largest > STEP_MAX ? step[i] * STEP_MAX / largest : step[i];
    return largest;
}

/* Weigh right examples so that groups with few of them count as much as others. */
static void weigh_groups(const class_example_t *examples, int64_t n, double *weight_of)
{
    double n_all[CLASS_GROUPS_MAX] = {0}, n_right[CLASS_GROUPS_MAX] = {0};

    for (int64_t k = 0; k < n; k++) {
        n_all[examples[k].group]++;
        n_right[examples[k].group] += examples[k].truth == CLASS_RIGHT;
    }
    for (int g = 0; g < CLASS_GROUPS_MAX; g++)
        weight_of[g] =
            n_right[g] * WEIGHT_RARE > n_all[g] ? n_all[g] / n_right[g] : WEIGHT_RARE;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* The k most probable of n absent examples may get a name, but not the next one. */
static void thresholds_of(double *p, int64_t n, double *threshold)
{
    qsort(p, (size_t)n, sizeof(*p), descending);
    for (int rate = 0; rate < CLASS_RULE_RATES; rate++) {
        const int64_t k = class_rule_allowed(n, (double)rate / (CLASS_RULE_RATES - 1));

        threshold[rate] = k < n ? nextafter(p[k], 2) : 0;
    }
}

status_t class_rule_learn(class_method_t method, class_prior_t prior,
                          const class_example_t *examples, int64_t n, class_rule_t *out)
{
    int64_t n_right = 0, n_absent = 0;
    double *absent = malloc(((size_t)n + 1) * sizeof(*absent));
    double weight_of[CLASS_GROUPS_MAX];
    class_rule_t rule = {0};

    if (absent == NULL)
        return log_nomem("the examples of a classifier");
    weigh_groups(examples, n, weight_of);
    for (int step = 0; method != CLASS_NBC && step < MAX_STEPS; step++)
        if (newton_step(method, prior, examples, n, weight_of, rule.weight) < 1e-9)
            break;
    for (int64_t k = 0; k < n; k++) {
        n_right += examples[k].truth == CLASS_RIGHT;
        if (examples[k].truth >= CLASS_ABSENT)
            absent[n_absent++] =
                class_rule_absent_probability(method, &rule, &examples[k]);
    }
    if (n_right > 0 && n_absent > 0) {
        thresholds_of(absent, n_absent, rule.threshold);
        *out = rule;
    }
    free(absent);
    return n_right > 0 && n_absent > 0 ? ST_OK : ST_EINPUT;
}

int class_rule_support(class_method_t method, const class_rule_t *rules, int n_ranks,
                       const class_evidence_t *evidence, double *support)
{
    int len = 0;

    while (len < n_ranks && evidence[len].n_refs > 0)
        len++;
    for (int r = n_ranks; r > len; r--)
        support[r - 1] = 0;
    for (int r = len; r > 0; r--) {
        support[r - 1] =
            class_rule_probability(method, class_rule_at(rules, n_ranks, len, r),
                                   &evidence[r - 1]);
        if (r < len)
            support[r - 1] = fmax(support[r - 1], support[r]);
    }
    return len;
}

int class_rule_name(class_method_t method, const class_rule_t *rules,
                    const double *threshold, int n_ranks,
                    const class_evidence_t *evidence, double *support)
{
    int r = class_rule_support(method, rules, n_ranks, evidence, support);
    const int len = r;

    while (r > 0 &&
           support[r - 1] < threshold[class_rule_at(rules, n_ranks, len, r) - rules])
        r--;
    return r;
}
