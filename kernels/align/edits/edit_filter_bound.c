/*
 * edit_filter_bound.c - the tables of maximum edits and of shared k-mers, in exact
 * integers.
 */
#include "kernels/align/edits/edit_filter_bound.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

/* The product of a length and a decimal of many digits needs more than 64 bits. */
static int32_t max_edits_of(fraction_t c, int64_t n_bases)
{
    __int128 n = (__int128)n_bases * (c.denominator - c.numerator) / c.numerator;

    return n < INT32_MAX ? (int32_t)n : INT32_MAX;
}

status_t edit_filter_bound_create(const align_spec_t *spec, fraction_t identity,
                                  int64_t max_len, edit_filter_bound_t *out)
{
    filter_goal_t goal;
    int32_t *max_edits;
    status_t st = filter_goal_set(spec, identity, &goal);

    if (st != ST_OK)
        return st;
    if (goal.identity.numerator == 0) {
        log_error("edit filter: every pair reaches the minimum identity 0");
        return ST_EUSAGE;
    }
    if ((max_edits = malloc((size_t)(max_len + 1) * sizeof(*max_edits))) == NULL)
        return log_nomem("the bounds of the edit filter");
    for (int64_t k = 0; k <= max_len; k++)
        max_edits[k] = max_edits_of(goal.identity, k);
    *out = (edit_filter_bound_t){.goal = goal, .max_edits = max_edits, .n = max_len + 1};
    return ST_OK;
}

void edit_filter_bound_free(edit_filter_bound_t *bound)
{
    free(bound->max_edits);
    bound->max_edits = NULL;
}

int32_t edit_filter_bound_min_end(const edit_filter_bound_t *bound, int64_t shorter)
{
    int64_t overlap = filter_goal_overlap(&bound->goal, shorter);
    int64_t matches = overlap - filter_goal_max_edits(&bound->goal, overlap);

    /* If ends are not free, F alone rules out short ends: bases of the query that are
     * left out are edits. */
    return bound->goal.ends == ENDS_FREE && matches > 1 ? (int32_t)matches : 1;
}

/* ---- k-mers ---- */

bool kmer_band_needed(const edit_filter_bound_t *bound, int32_t *needed)
{
    int64_t least = INT32_MAX;
    bool any = false;

    for (int64_t k = bound->n - 1; k >= 0; k--) {
        int64_t shared = k - KMER_BAND_K + 1 - (int64_t)KMER_BAND_K * bound->max_edits[k];

        least = shared < least ? shared : least;
        needed[k] = least > 0 ? (int32_t)least : 0;
        any |= needed[k] > 0;
    }
    return any;
}
