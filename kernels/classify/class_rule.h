/*
 * class_rule.h - from evidence for a taxon to the probability that it is right, and the
 * probability below which it is not named.
 *
 * A rule is a logistic regression, learned for one rank of the taxonomy (genera, say)
 * from examples whose answer is known: references left out of the model, some alone or
 * with their relatives, some with their whole taxon.  The latter also show how many
 * sequences of absent taxa get a name above each probability.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_CLASS_RULE_H
#define RIBOGRID_KERNELS_CLASSIFY_CLASS_RULE_H

#include "io/base/status.h"

#include <stdint.h>

/* Evidence for one taxon in the lineage of a read's best class. */
typedef struct {
    double support;  /* fraction of resamples for the taxon, 0 .. 1 */
    double bits;     /* -log2 of the probability of a word under the best class */
    double margin;   /* bits more per word under the best class outside the taxon */
    double identity; /* maximum with references of the taxon, 0 .. 1; 0 if unknown */
    double rival_identity; /* maximum with other references; 0 if unknown */
    double n_refs;         /* references of the taxon */
} class_evidence_t;

typedef enum {
    CLASS_RIGHT, /* the taxon is that of the sequence */
    CLASS_WRONG, /* it is not, though that of the sequence has references */
    CLASS_ABSENT /* the sequence's own taxon of this rank has no references */
} class_truth_t;

enum {
    CLASS_RULE_TERMS = 8,  /* weights; the first is the constant */
    CLASS_RULE_RATES = 101 /* thresholds for novelty rates of 0, 1, .. 100 percent */
};

/* All doubles, so that a file stores a rule as a row of CLASS_RULE_TERMS +
 * CLASS_RULE_RATES numbers. */
typedef struct {
    double weight[CLASS_RULE_TERMS];
    double threshold[CLASS_RULE_RATES]; /* ascending rates: descending thresholds */
} class_rule_t;

/*
 * Learn a rule.
 *
 * @param evidence  [n] for the taxon that was found
 * @param truth     [n] whether it was right
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged) without examples of a right taxon or
 *         without absent ones
 */
status_t class_rule_learn(const class_evidence_t *evidence, const class_truth_t *truth,
                          int64_t n, class_rule_t *out) MUST_CHECK;

/* @return the probability that the taxon is right */
double class_rule_probability(const class_rule_t *rule, const class_evidence_t *e);

/* @param novelty_rate  0 .. 1: the fraction of sequences of absent taxa that may get a
 *                      name
 * @return the threshold: taxa with a higher probability are named */
double class_rule_threshold(const class_rule_t *rule, double novelty_rate);

#endif
