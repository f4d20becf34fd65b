/*
 * class_score.h - figures of merit of named sequences: accuracy, over-naming, coverage.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_SCORE_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_SCORE_H

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

/* Count a query. @param right  what was found is its taxon */
static inline void class_score_count(class_score_t *s, bool known, bool named, bool right)
{
    s->n_known += known;
    s->n_absent += !known;
    s->n_right += known && named && right;
    s->n_wrong += known && named && !right;
    s->n_over_named += !known && named;
}

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

#endif
