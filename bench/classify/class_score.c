/*
 * class_score.c - counts of outcomes, and of depths of lineages by rank.
 */
#include "bench/classify/class_score.h"

#include <math.h>

/* Count a query. @param right  what was found is its taxon */
static void count(class_score_t *s, bool known, bool named, bool right)
{
    s->n_known += known;
    s->n_absent += !known;
    s->n_right += known && named && right;
    s->n_wrong += known && named && !right;
    s->n_over_named += !known && named;
}

class_score_t class_score_of(const class_outcome_t *outcomes, int64_t n, int group,
                             double threshold)
{
    class_score_t s = {0};

    for (int64_t i = 0; i < n; i++) {
        const class_outcome_t *o = &outcomes[i];

        if (o->group == group)
            count(&s, o->known, o->probability >= threshold, o->right);
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

/* ---- depths of lineages, and counts by rank ---- */

const double class_setting_support[] = {0.5, 0.8};

int class_depth_known(const class_statistics_t *known, const class_case_t *own)
{
    const nbc_model_t *m = known->model;
    const nbc_classes_t *c = m->classes;
    int depth = class_lineage_len(c, own->own_class);

    for (; depth > 0; depth--) {
        const int32_t taxon = nbc_classes_at(c, own->own_class, depth);
        int32_t n = known->taxon_refs[taxon];

        for (int64_t i = 0; i < own->n_removed; i++) {
            const int32_t other = m->class_of[own->removed[i]];

            n -= other >= 0 && nbc_classes_at(c, other, depth) == taxon;
        }
        if (n > 0)
            break;
    }
    return depth;
}

int class_depth_common(const nbc_classes_t *c, int32_t own, int32_t found)
{
    const int len = class_lineage_len(c, own);
    int depth = 0;

    while (found >= 0 && depth < len &&
           nbc_classes_at(c, own, depth + 1) == nbc_classes_at(c, found, depth + 1))
        depth++;
    return depth;
}

class_score_t class_depth_score(const class_depth_t *depths, int64_t n, int group,
                                int rank, class_setting_t setting)
{
    class_score_t s = {0};

    for (int64_t i = 0; i < n; i++) {
        const class_depth_t *d = &depths[i];
        const bool named = d->named[setting] >= rank, known = d->known >= rank;

        if (d->group == group && d->own >= rank)
            count(&s, known, named, d->right >= rank);
    }
    return s;
}

class_score_t class_depth_score_absent(const class_depth_t *depths, int64_t n, int group,
                                       int rank, class_setting_t setting)
{
    class_score_t s = {0};

    for (int64_t i = 0; i < n; i++) {
        const class_depth_t *d = &depths[i];

        if (d->group == group && d->own > rank && d->known < d->own)
            count(&s, true, d->named[setting] >= rank, d->right >= rank);
    }
    return s;
}
