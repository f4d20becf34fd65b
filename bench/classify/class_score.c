/*
 * class_score.c - counts of outcomes.
 */
#include "bench/classify/class_score.h"

#include <math.h>

class_score_t class_score_of(const class_outcome_t *outcomes, int64_t n, int group,
                             double threshold)
{
    class_score_t s = {0};

    for (int64_t i = 0; i < n; i++) {
        const class_outcome_t *o = &outcomes[i];

        if (o->group == group)
            class_score_count(&s, o->known, o->probability >= threshold, o->right);
    }
    return s;
}

double class_score_percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100. * (double)part / (double)whole : 0;
}

double class_score_accuracy(const class_score_t *s)
{
    return class_score_percent(s->n_right, s->n_known + s->n_over_named);
}

double class_score_threshold(const class_outcome_t *outcomes, int64_t n, int group,
                             double fraction)
{
    double low = 0, high = 2;

    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        const class_score_t s = class_score_of(outcomes, n, group, middle);

        if ((double)s.n_over_named <= fraction * (double)s.n_absent + 1e-9)
            high = middle;
        else
            low = middle;
    }
    return high;
}

class_interval_t class_score_interval(const double *x, int n)
{
    /* 97.5 % quantiles of Student's t with 1, 2, .. degrees of freedom */
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
                               2.365,  2.306, 2.262, 2.228, 2.201, 2.179};
    enum { N_T = sizeof(t) / sizeof(t[0]) };
    double sum = 0, squares = 0;

    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    if (n < 2)
        return (class_interval_t){n > 0 ? sum : 0, 0};
    return (class_interval_t){sum / n, t[n - 2 < N_T ? n - 2 : N_T - 1] *
                                           sqrt(squares / (n - 1) / n)};
}
