/*
 * class_depth.c - depths of lineages, and counts by rank.
 */
#include "bench/classify/class_depth.h"

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
            class_score_count(&s, known, named, d->right >= rank);
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
            class_score_count(&s, true, d->named[setting] >= rank, d->right >= rank);
    }
    return s;
}
