/*
 * class_score.h - figures of merit of named sequences: accuracy, over-naming, coverage.
 */
#pragma once

#include "kernels/classify/class_case.h"

#include <stdbool.h>
#include <stdint.h>

/* What a method says about a query. */
typedef struct {
    double
        probability; /* that the class found is right; it is named from a threshold on */
    bool right;      /* it is that of the query */
    bool known;      /* the query's class has references */
    int group;       /* what was left out */
} class_outcome_t;

/* Queries of one group at one threshold. */
typedef struct {
    int64_t n_known, n_absent;
    int64_t n_right;      /* known and named right */
    int64_t n_wrong;      /* known and named wrong */
    int64_t n_over_named; /* absent and named */
} class_score_t;

class_score_t class_score_of(const class_outcome_t *outcomes, int64_t n, int group,
                             double threshold);

/* @return 100 right / (known + over-named), Edgar's accuracy; 0 without queries */
double class_score_accuracy(const class_score_t *s);

/* @return 100 * part / whole; 0 of nothing */
double class_score_percent(int64_t part, int64_t whole);

/* @return the smallest threshold at which at most a fraction of the absent queries of a
 *         group gets a name */
double class_score_threshold(const class_outcome_t *outcomes, int64_t n, int group,
                             double fraction);

/* A mean and half the width of its 95 % interval, by Student's t. */
typedef struct {
    double mean, half; /* half: 0 for one number */
} class_interval_t;

class_interval_t class_score_interval(const double *x, int n);

/* How far down its lineage a query is known, found right, and named: the
 * figures of merit of all ranks follow from these. */

/* Thresholds that names are given at. */
typedef enum {
    CLASS_AT_LOW,  /* a support of 0.5 */
    CLASS_AT_HIGH, /* of 0.8 */
    CLASS_AT_RATE, /* learned for a novelty rate */
    CLASS_SETTINGS
} class_setting_t;

extern const double class_setting_support[]; /* CLASS_AT_LOW, CLASS_AT_HIGH */

/* Numbers of ranks, from the highest down. */
typedef struct {
    uint8_t own;                   /* of the query's lineage */
    uint8_t known;                 /* of these, ranks whose taxon has references */
    uint8_t right;                 /* that the lineage found has in common with it */
    uint8_t named[CLASS_SETTINGS]; /* of the lineage found */
    uint8_t group;                 /* what was left out */
} class_depth_t;

/* @return how many ranks of the lineage of a case have references
 * @param known  of the model that the case leaves references out of */
int class_depth_known(const class_statistics_t *known, const class_case_t *own);

/* @return how many ranks the lineages of two classes have in common; 0 if found is -1 */
int class_depth_common(const nbc_classes_t *classes, int32_t own, int32_t found);

/* Queries of a group, by their taxa of a rank; lineages that end above are left out.
 * @param rank  counted from 1 */
class_score_t class_depth_score(const class_depth_t *depths, int64_t n, int group,
                                int rank, class_setting_t setting);

/* The same of queries whose lowest taxon has no references: how many get the right name
 * (n_right) or a wrong one (n_wrong) of a rank, of n_known. */
class_score_t class_depth_score_absent(const class_depth_t *depths, int64_t n, int group,
                                       int rank, class_setting_t setting);
