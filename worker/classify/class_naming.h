/*
 * class_naming.h - how the job "classify" turns evidence into names: by the resamples,
 * by the probabilities of a network, or by the rules that training has learned, which the
 * model has as rows of numbers.
 */
#pragma once

#include "io/modelfile/class_model.h"
#include "io/modelfile/class_result.h"
#include "kernels/classify/class_rule.h"
#include "worker/classify/class_opts.h"

typedef struct {
    class_named_by_t named_by;
    class_method_t method; /* its rule; of a network that of CLASS_NBC */
    class_prior_t prior;   /* of CLASS_JOINT */
    bool by_rate;          /* thresholds are those of the novelty rate, else the minimum
                            * support */
    class_rule_t *rules;   /* [n_ranks] zeros without learned ones */
    int32_t *limit; /* [n_ranks] of each rule: the smallest support that is named, in
                     * units of 1 / CLASS_SUPPORT_ONE */
    double rate;    /* the novelty rate, if by_rate */
    int n_ranks;
} class_naming_t;

/*
 * Choose the method and the thresholds.
 *
 * @param opts    settled
 * @param is_net  the model is that of a network (class_net.h)
 * @param out     freed by class_naming_free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged: the model has not the rules that the
 *         options need, or is of another kind)
 */
status_t class_naming_create(const class_opts_t *opts, const class_model_t *model,
                             bool is_net, class_naming_t *out) MUST_CHECK;

void class_naming_free(class_naming_t *n);

/*
 * Name a read.
 *
 * @param support  [n_ranks] in units of 1 / CLASS_SUPPORT_ONE, rounded
 * @param len      ranks of its lineage
 * @return how many of them are named: down to the lowest one that reaches its limit
 */
int class_naming_count(const class_naming_t *n, const uint16_t *support, int len);

/* What a read of an absent taxon has for the wrong one that was found. */
typedef struct {
    int rank; /* whose taxon is absent, counted from 1: that of its rule */
    uint16_t support;
} class_absent_t;

/* Reads of absent taxa that a limit is learned from, at least. */
enum { CLASS_ABSENT_MIN = 20 };

/*
 * Learn the limits for the novelty rate from reads of absent taxa.  Ranks with too few of
 * them have the limit of the rank below.
 *
 * @param absent  [n] sorted afterwards
 * @return whether those of the lowest rank suffice; else nothing is changed
 */
bool class_naming_calibrate(class_naming_t *naming, class_absent_t *absent, int64_t n);

/* Append the lines of a job's text. @return ST_OK or ST_ENOMEM (logged) */
status_t class_naming_print(const class_naming_t *n, const class_opts_t *opts,
                            buf_t *out) MUST_CHECK;

/* Examples of each case: those of naive Bayes, and maybe those of alignments. */
enum { CLASS_SETS = 1, CLASS_SETS_WITH_ALIGN = 2 };

/*
 * Learn the rules of all methods; that of alignments if it has examples.
 *
 * @param examples  [n][n_sets][n_ranks]
 * @param input     of the references, for a message
 * @param model     gets the rules
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged: too few examples)
 */
status_t class_naming_learn(const class_example_t *examples, int64_t n, int n_ranks,
                            int n_sets, const char *input,
                            class_model_t *model) MUST_CHECK;
