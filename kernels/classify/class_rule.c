/*
 * class_rule.c - logistic regression by Newton's method (iteratively reweighted least
 * squares) with a small ridge, and thresholds from the absent examples by cross-fitting.
 */
#include "kernels/classify/class_rule.h"

#include "io/base/cholesky.h"
#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 50, NO_FOLD = -1 };

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

/* What a rule is learned from. */
typedef struct {
    class_method_t method;
    class_prior_t prior;
    const class_example_t *examples;
    int64_t n;
    int64_t n_right, n_absent;
    int64_t n_in_fold[CLASS_RULE_FOLDS]; /* absent examples */
    double weight_of[CLASS_GROUPS_MAX];  /* of the right examples of a group */
} learn_t;

/* @param fold  whose absent examples have no weight; the others have as much together */
static double example_weight(const learn_t *l, const class_example_t *e, int fold)
{
    if (e->truth == CLASS_RIGHT)
        return l->weight_of[e->group];
    if (e->truth == CLASS_WRONG)
        return WEIGHT_WRONG * l->weight_of[e->group];
    if (fold == NO_FOLD)
        return WEIGHT_ABSENT;
    return e->fold == fold ? 0
                           : WEIGHT_ABSENT * (double)l->n_absent /
                                 (double)(l->n_absent - l->n_in_fold[fold]);
}

/* One step of Newton's method. @return the largest change of a weight */
static double newton_step(const learn_t *l, int fold, double *weight)
{
    double a[CLASS_RULE_TERMS][CLASS_RULE_TERMS] = {{0}};
    double step[CLASS_RULE_TERMS];
    double largest = 0;

    for (int i = 0; i < CLASS_RULE_TERMS; i++) {
        a[i][i] = RIDGE;
        step[i] = -RIDGE * weight[i];
    }
    for (int64_t k = 0; k < l->n; k++) {
        const class_example_t *e = &l->examples[k];
        const double w = example_weight(l, e, fold);
        double t[CLASS_RULE_TERMS], p;

        terms_of(l->method, l->prior, &e->evidence, t);
        p = probability_of(weight, t);
        for (int i = 0; i < CLASS_RULE_TERMS; i++) {
            step[i] += w * ((e->truth == CLASS_RIGHT) - p) * t[i];
            for (int j = 0; j <= i; j++)
                a[i][j] += w * p * (1 - p) * t[i] * t[j];
        }
    }
    (void)!cholesky_factorise(CLASS_RULE_TERMS, a[0]); /* the ridge makes it positive */
    cholesky_solve(CLASS_RULE_TERMS, a[0], step, 1);
    for (int i = 0; i < CLASS_RULE_TERMS; i++)
        largest = fmax(largest, fabs(step[i]));
    for (int i = 0; i < CLASS_RULE_TERMS; i++)
        weight[i] += largest > STEP_MAX ? step[i] * STEP_MAX / largest : step[i];
    return largest;
}

/* Count examples, and weigh right ones so that groups with few of them count as much as
 * others. */
static void count_examples(learn_t *l)
{
    double n_all[CLASS_GROUPS_MAX] = {0}, n_right[CLASS_GROUPS_MAX] = {0};

    for (int64_t k = 0; k < l->n; k++) {
        const class_example_t *e = &l->examples[k];
        const bool is_right = e->truth == CLASS_RIGHT,
                   is_absent = e->truth >= CLASS_ABSENT;

        n_all[e->group]++;
        n_right[e->group] += is_right;
        l->n_right += is_right;
        l->n_absent += is_absent;
        l->n_in_fold[e->fold] += is_absent;
    }
    for (int g = 0; g < CLASS_GROUPS_MAX; g++)
        l->weight_of[g] =
            n_right[g] * WEIGHT_RARE > n_all[g] ? n_all[g] / n_right[g] : WEIGHT_RARE;
}

/* @param weight  to begin with, then those learned without a fold's absent examples */
static void learn_weights(const learn_t *l, int fold, double *weight)
{
    for (int step = 0; l->method != CLASS_NBC && step < MAX_STEPS; step++)
        if (newton_step(l, fold, weight) < 1e-9)
            break;
}

/* Compute the probabilities of a fold's absent examples by weights that were learned
 * without them, if there are others. @param out  [n_in_fold] */
static void cross_fit(const learn_t *l, int fold, const class_rule_t *rule, double *out)
{
    class_rule_t others = *rule;

    if (l->n_in_fold[fold] == 0)
        return;
    if (l->n_in_fold[fold] < l->n_absent)
        learn_weights(l, fold, others.weight);
    for (int64_t k = 0; k < l->n; k++)
        if (l->examples[k].truth >= CLASS_ABSENT && l->examples[k].fold == fold)
            *out++ = class_rule_absent_probability(l->method, &others, &l->examples[k]);
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
    learn_t learn = {.method = method, .prior = prior, .examples = examples, .n = n};
    class_rule_t rule = {0};
    int64_t n_done = 0;
    double *absent;

    count_examples(&learn);
    if (learn.n_right == 0 || learn.n_absent == 0)
        return ST_EINPUT;
    if ((absent = malloc((size_t)learn.n_absent * sizeof(*absent))) == NULL)
        return log_nomem("the examples of a classifier");
    learn_weights(&learn, NO_FOLD, rule.weight);
    for (int fold = 0; fold < CLASS_RULE_FOLDS; fold++) {
        cross_fit(&learn, fold, &rule, absent + n_done);
        n_done += learn.n_in_fold[fold];
    }
    thresholds_of(absent, learn.n_absent, rule.threshold);
    free(absent);
    *out = rule;
    return ST_OK;
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
