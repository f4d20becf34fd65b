/*
 * class_depth.h - how far down its lineage a query is known, found right, and named: the
 * figures of merit of all ranks follow from these.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_DEPTH_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_DEPTH_H

#include "bench/classify/class_score.h"
#include "kernels/classify/class_case.h"

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

#endif
