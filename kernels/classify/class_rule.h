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
#pragma once

#include "kernels/classify/nbc_backend.h"
#include "kernels/classify/nbc_model.h"

#include <math.h>

/* Which references share the rare words of a read.
 *
 * A word is rare if at most CLASS_RARE_REFS references have it.  Words of conserved
 * regions are in nearly all 16S genes; rare ones tell a read's own genus from one that is
 * merely the closest of those that are known. */

enum {
    CLASS_RARE_REFS = 512,
    /* Maximum number of references of a word that are listed: what remains of them may
     * be rare where a large taxon is left out.  All lists take 4 bytes per reference and
     * such word: 51 MB for RDP's training set 18, at most 537 MB. */
    CLASS_RARE_LISTED = 2048
};

typedef struct {
    const nbc_model_t *model; /* borrowed */
    int64_t *first;           /* [NBC_N_WORDS + 1] */
    int32_t *refs; /* those with word w are refs[first[w]] .. refs[first[w + 1] - 1], in
                    * any order; none of words that are not listed */
} class_rare_t;

/* @param pool  NULL: the caller alone
 * @param out   the caller's; freed by class_rare_free
 * @return ST_OK or ST_ENOMEM */
status_t class_rare_create(const nbc_model_t *model, pool_t *pool,
                           class_rare_t *out) MUST_CHECK;

void class_rare_free(class_rare_t *r);

/* A read and the references that are to be treated as absent. */
typedef struct {
    const uint16_t *words; /* [n_words] in the orientation of its best class */
    int32_t n_words;
    int32_t best;           /* class */
    const int32_t *removed; /* [n_removed] */
    int64_t n_removed;
} class_rare_read_t;

/*
 * For each taxon in the lineage of the best class: find the maximum fraction of the
 * read's rare words that a reference of the taxon has, less that of other references.
 *
 * @param n_shared  [model->refs->n] zeros, before and after
 * @param lead      [n_ranks] -1 .. 1; 0 below the end of the lineage, and everywhere if
 * no word is rare
 */
void class_rare_lead(const class_rare_t *r, const class_rare_read_t *read,
                     uint16_t *n_shared, double *lead);

/* class_evidence.c: what is known about the taxa in the lineage of a read's best class,
 * before a rule (class_rule.h) turns it into probabilities.
 *
 * Besides the results of naive Bayes these are the sizes of taxa, the words of the read
 * that the best class covers, how alike the references of this class are, since genera
 * differ in how much their members differ, and which references have the rare words. */

/* Evidence for one taxon. */
typedef struct {
    double support;  /* fraction of resamples for the taxon, 0 .. 1 */
    double margin;   /* bits per word by which the best class outside the taxon costs more
                      * than the best class; CLASS_MARGIN_MAX without one */
    double n_refs;   /* references of the taxon; 0: the lineage ends above this rank */
    double covered;  /* fraction of the read's words in references of the best class */
    double likeness; /* minimum, over references of the best class, of the fraction of
                      * their words in the most similar other one of the class; 0 if it
                      * has only one */
    double lead;     /* class_rare_lead */
    double identity; /* maximum with references of the taxon, 0 .. 1; 0: unknown */
    double rival_identity; /* maximum with other references; 0: unknown */
} class_evidence_t;

#define CLASS_MARGIN_MAX 16.

/* Maximum number of references of a class, evenly spaced, that likeness compares. */
enum { CLASS_MEMBERS_MAX = 48 };

/* Scratch of one thread; all functions leave seen and n_shared zeroed. */
typedef struct {
    nbc_words_set_t set;
    uint16_t words[NBC_N_WORDS], turned[NBC_N_WORDS];
    uint64_t seen[NBC_N_WORDS / 64];                      /* a bit per word */
    uint64_t member[CLASS_MEMBERS_MAX][NBC_N_WORDS / 64]; /* a bit per word */
    uint16_t *n_shared;                                   /* [refs] of class_rare_lead */
} class_scratch_t;

/* What the evidence of all reads depends on. */
typedef struct {
    const nbc_model_t *model; /* borrowed */
    int32_t n_taxa;
    int32_t *taxon_refs; /* [n_taxa] references of each taxon and of all below it */
    double *likeness;    /* [classes->n] class_evidence_t's */
    class_rare_t rare;
} class_statistics_t;

/* A read among the results of a batch. */
typedef struct {
    const seqset_t *reads;
    int64_t read; /* of reads */
    const nbc_results_t *results;
    int64_t row;     /* of results */
    int n_resamples; /* of the results' options */
} class_read_t;

/* @param pool  NULL: the caller alone
 * @param out   the caller's; freed by class_statistics_free
 * @return ST_OK or ST_ENOMEM */
status_t class_statistics_create(const nbc_model_t *model, pool_t *pool,
                                 class_statistics_t *out) MUST_CHECK;

void class_statistics_free(class_statistics_t *k);

/* @param out  [n] the caller's; freed by class_scratch_destroy
 * @return ST_OK or ST_ENOMEM */
status_t class_scratch_create(const nbc_model_t *model, int n,
                              class_scratch_t **out) MUST_CHECK;

/* Takes NULL. */
void class_scratch_destroy(class_scratch_t *s);

/*
 * Collect the evidence for a read; identities are set to 0.
 *
 * @param out  [n_ranks] of the lineage of the best class, from the highest rank on; zeros
 *             below its end, and everywhere if no class was found
 */
void class_evidence_of(const class_statistics_t *k, const class_read_t *r,
                       class_scratch_t *scratch, class_evidence_t *out);

/* As class_evidence_of, for results of nbc_without_classify.
 * @param removed  [n_removed] ascending */
void class_evidence_without(const class_statistics_t *k, const class_read_t *r,
                            const int32_t *removed, int64_t n_removed,
                            class_scratch_t *scratch, class_evidence_t *out);

/* @return the length of the lineage of a class */
int class_lineage_len(const nbc_classes_t *c, int32_t class_number);

/* @return whether other lineages go on below that of a class: its references may be of
 * any of these taxa */
bool class_is_above(const nbc_classes_t *c, int32_t class_number);

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
    CLASS_RIGHT,       /* the taxon is that of the sequence */
    CLASS_WRONG,       /* it is not */
    CLASS_ABSENT,      /* it is not: the sequence's own taxon of this rank was left out */
    CLASS_ABSENT_ABOVE /* likewise; but other lineages go on below what was found, whose
                        * name therefore is none of the lowest rank */
} class_truth_t;

typedef struct {
    class_evidence_t evidence; /* for the taxon that was found */
    class_truth_t truth;
    int16_t group; /* 0 .. CLASS_GROUPS_MAX - 1: what was left out; all count alike */
    int16_t fold;  /* 0 .. CLASS_RULE_FOLDS - 1: one for all reads of a taxon */
} class_example_t;

enum {
    CLASS_GROUPS_MAX = 8,
    CLASS_RULE_FOLDS = 10,
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
 * Weights suit the examples that they are learned from: absent ones among these have
 * lower probabilities than others will have.  So thresholds come from probabilities by
 * weights that were learned without the absent examples of the same fold (cross-fitting).
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

/* @return the probability of an absent example that it gets a wrong name of the rank: 0
 * where others are below what was found */
double class_rule_absent_probability(class_method_t method, const class_rule_t *rule,
                                     const class_example_t *e);

/* @return how many of n sequences of absent taxa may get a name: then one more, of a
 * taxon that is drawn as theirs were, gets one with at most this probability, as it is
 * equally likely to have each place among the n + 1 */
static inline int64_t class_rule_allowed(int64_t n, double novelty_rate)
{
    const int64_t n_named = (int64_t)floor((double)(n + 1) * novelty_rate + 1e-9) - 1;

    return n_named > 0 ? n_named : 0;
}

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
 * Compute the probabilities of a lineage; those of taxa are at least those of what is
 * below them.
 *
 * @param rules     [n_ranks]
 * @param evidence  [n_ranks]; n_refs is 0 below the end of the lineage
 * @param support   [n_ranks] probabilities; 0 below the end of the lineage
 * @return the length of the lineage
 */
int class_rule_support(class_method_t method, const class_rule_t *rules, int n_ranks,
                       const class_evidence_t *evidence, double *support);

/*
 * Compute the probabilities of a lineage and how much of it is named: the lowest taxon
 * that reaches its threshold, with all taxa above it.
 *
 * @param threshold  [n_ranks] of each rule
 * @return the number of ranks that are named
 */
int class_rule_name(class_method_t method, const class_rule_t *rules,
                    const double *threshold, int n_ranks,
                    const class_evidence_t *evidence, double *support);
