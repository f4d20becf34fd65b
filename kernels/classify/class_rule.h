/*
 * class_rule.h - from the evidence for a taxon to the probability that it is right, and
 * the probability below which it is not named.
 *
 * A rule is a logistic regression for one rank of the taxonomy, learned from examples
 * whose answer is known: references classified by a model without themselves, without all
 * that are similar to them, or without their whole taxon.  The latter also show how many
 * sequences of absent taxa get a name above each probability.
 *
 * Lineages may have different lengths.  The lowest rank of each has the last rule, the
 * ranks above it have the rules of their depth.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_CLASS_RULE_H
#define RIBOGRID_KERNELS_CLASSIFY_CLASS_RULE_H

#include "kernels/classify/class_evidence.h"

typedef enum {
    CLASS_NBC,   /* the fraction of resamples is the probability */
    CLASS_ALIGN, /* learned from identities and sizes of taxa */
    CLASS_JOINT  /* learned from all evidence but identities, sizes by the prior */
} class_method_t;

/* Which taxa are likely before a sequence has been looked at. */
typedef enum {
    CLASS_PRIOR_EQUAL, /* all of a rank alike: numbers of references are no evidence */
    CLASS_PRIOR_REFERENCES /* those with many references more than those with few */
} class_prior_t;

enum { CLASS_PRIORS = CLASS_PRIOR_REFERENCES + 1 };

typedef enum {
    CLASS_RIGHT, /* the taxon is that of the sequence */
    CLASS_WRONG, /* it is not */
    CLASS_ABSENT /* it is not: the sequence's own taxon of this rank was left out */
} class_truth_t;

typedef struct {
    class_evidence_t evidence; /* for the taxon that was found */
    class_truth_t truth;
    int group; /* 0 .. CLASS_GROUPS_MAX - 1: what was left out; all groups count alike */
} class_example_t;

enum {
    CLASS_GROUPS_MAX = 8,
    CLASS_RULE_TERMS = 9,  /* weights; the first is the constant */
    CLASS_RULE_RATES = 101 /* thresholds for novelty rates of 0, 1, .. 100 percent */
};

/* All doubles, so that a file can store a rule as a row of numbers. */
typedef struct {
    double weight[CLASS_RULE_TERMS];
    double threshold[CLASS_RULE_RATES]; /* the smallest probability that is named;
                                         * descending */
} class_rule_t;

/*
 * Learn a rule.
 *
 * @param prior  the rule has a weight for the number of references, or none
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (not logged) without examples of right taxa or
 *         without absent ones
 */
status_t class_rule_learn(class_method_t method, class_prior_t prior,
                          const class_example_t *examples, int64_t n,
                          class_rule_t *out) MUST_CHECK;

/* @return the probability that a taxon is right */
double class_rule_probability(class_method_t method, const class_rule_t *rule,
                              const class_evidence_t *e);

/* @param novelty_rate  0 .. 1: the fraction of sequences of absent taxa that may get a
 *                      name; rounded down to percents
 * @return the smallest probability that is named */
double class_rule_threshold(const class_rule_t *rule, double novelty_rate);

/* @return the rule for a rank, counted from 1, of a lineage of length len */
static inline const class_rule_t *class_rule_at(const class_rule_t *rules, int n_ranks,
                                                int len, int rank)
{
    return &rules[(rank < len ? rank : n_ranks) - 1];
}

/*
 * Compute the probabilities of a lineage and how much of it is named.  The lowest taxon
 * that reaches its threshold is named, with all taxa above it; these are at least as
 * probable as those below them.
 *
 * @param rules      [n_ranks]
 * @param threshold  [n_ranks] of each rule
 * @param evidence   [n_ranks]; n_refs is 0 below the end of the lineage
 * @param support    [n_ranks] probabilities; 0 below the end of the lineage
 * @return the number of ranks that are named
 */
int class_rule_name(class_method_t method, const class_rule_t *rules,
                    const double *threshold, int n_ranks,
                    const class_evidence_t *evidence, double *support);

#endif
