/*
 * class_case.h - classifies sequences whose genus is known by a model without some of its
 * references, to learn rules (class_rule.h) and to evaluate them.
 */
#pragma once

#include "kernels/classify/class_rule.h"

/* A sequence and what its model lacks. */
typedef struct {
    int64_t read;
    int32_t own_class;      /* the class it belongs to */
    const int32_t *removed; /* [n_removed] references, ascending */
    int64_t n_removed;
    int absent_rank; /* all references of the read's own taxon of this rank, counted from
                      * 1, are removed; 0: only some by their similarity */
    int group;       /* of its examples */
} class_case_t;

/* What is left unchanged in all cases; borrowed. */
typedef struct {
    const nbc_context_t *nbc;
    const class_statistics_t *known; /* of nbc->model */
    const seqset_t *reads;
    pool_t *pool; /* NULL: the caller alone */
} class_case_context_t;

/* The example of a rank that teaches nothing: the lineage ends above, or a taxon above it
 * was left out. */
#define CLASS_NO_EXAMPLE (-1)

/*
 * Classify the reads of cases by naive Bayes.
 *
 * @param found     [n] best class; -1: none
 * @param examples  [n][n_ranks] an example for each rule; group is CLASS_NO_EXAMPLE where
 *                  there is none
 * @return ST_OK or ST_ENOMEM
 */
status_t class_case_run(const class_case_context_t *context, const class_case_t *cases,
                        int64_t n, int32_t *found, class_example_t *examples) MUST_CHECK;

/* Label what was found for a case. @param found  its class; -1: none
 * @param evidence  [n_ranks] @param out  [n_ranks] as class_case_run's examples */
void class_case_label(const nbc_classes_t *classes, const class_case_t *own,
                      int32_t found, const class_evidence_t *evidence,
                      class_example_t *out);

/*
 * Learn the rules of all ranks.  A rank whose rule cannot be learned has the rule of the
 * rank below it.
 *
 * @param prior     as class_rule_learn's
 * @param examples  [n][n_ranks]
 * @param rules     [n_ranks]
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (not logged): no sequence was classified rightly
 *         without itself, or none without its class
 */
status_t class_case_learn(class_method_t method, class_prior_t prior,
                          const class_example_t *examples, int64_t n, int n_ranks,
                          class_rule_t *rules) MUST_CHECK;
