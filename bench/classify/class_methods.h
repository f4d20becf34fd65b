/*
 * class_methods.h - the methods of `classify` in `ribogrid-bench classify`: they learn
 * rules, and classify cases by models without some genes.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_METHODS_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_METHODS_H

#include "bench/classify/class_data.h"
#include "bench/classify/class_depth.h"

enum { CLASS_BENCH_METHODS = 4, CLASS_BENCH_JOINT = 2 /* with equal taxa */ };
extern const class_method_t class_bench_method[CLASS_BENCH_METHODS];
extern const class_prior_t class_bench_prior[CLASS_BENCH_METHODS];
extern const char *const class_bench_name[CLASS_BENCH_METHODS];

/* What a method has learned and says. */
typedef struct {
    bool is_run;
    class_rule_t *rules;       /* [n_ranks] */
    class_outcome_t *outcomes; /* [n] of the lowest rank; NULL: not classified */
    class_depth_t *depths;     /* [n] */
} class_judged_t;

/*
 * Learn the rules of all methods that are run, as `classify train` does.
 *
 * @param runs  [CLASS_BENCH_METHODS] out: rules, freed by class_methods_free
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_EINPUT (logged: too few genes)
 */
status_t class_methods_learn(const class_data_t *d, const class_subset_t *s,
                             int64_t n_samples, uint64_t seed,
                             class_judged_t *runs) MUST_CHECK;

/*
 * Classify.
 *
 * @param novelty_rate  of CLASS_AT_RATE, as class_rule_threshold's
 * @param cases         [n]
 * @param runs          [CLASS_BENCH_METHODS] out: outcomes and depths
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t class_methods_run(const class_data_t *d, const class_subset_t *model,
                           double novelty_rate, const class_case_t *cases, int64_t n,
                           class_judged_t *runs) MUST_CHECK;

/* @param runs  [n] */
void class_methods_free(class_judged_t *runs, int n);

#endif
