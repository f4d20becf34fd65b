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
    double *threshold;     /* [n_ranks] */
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
 * Check the names of a read.
 *
 * @param support  [n_ranks] in units of 1 / CLASS_SUPPORT_ONE, rounded
 * @param len      ranks of its lineage
 * @param n_named  of them named
 * @return whether the supports descend to zeros below the lineage, and the lowest one
 *         that reaches its threshold is the last one that is named
 */
bool class_naming_fits(const class_naming_t *n, const uint16_t *support, int len,
                       int n_named) MUST_CHECK;

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
