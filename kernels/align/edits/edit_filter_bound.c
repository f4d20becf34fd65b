#include "kernels/align/edits/edit_filter_bound.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

static int32_t max_of(fraction_t c, int64_t letters)
{
    __int128 most = (__int128)letters * (c.denominator - c.numerator) / c.numerator;

    return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

status_t edit_filter_bound_create(const align_spec_t *spec, fraction_t part,
                                  int64_t max_len, edit_filter_bound_t *out)
{
    filter_goal_t goal;
    int32_t *most;

    if (!filter_goal_set(spec, part, &goal) || goal.part.numerator == 0) {
        log_error("edits: no bound for the identity %lld/%lld, which is not above 0 and "
                  "at most 1",
                  (long long)part.numerator, (long long)part.denominator);
        return ST_EUSAGE;
    }
    if ((most = malloc((size_t)(max_len + 1) * sizeof(*most))) == NULL)
        return log_nomem("the bounds of edits");
    for (int64_t k = 0; k <= max_len; k++)
        most[k] = max_of(goal.part, k);
    *out = (edit_filter_bound_t){.goal = goal, .most = most, .n = max_len + 1};
    return ST_OK;
}

void edit_filter_bound_free(edit_filter_bound_t *bound)
{
    free(bound->most);
    bound->most = NULL;
}

int32_t edit_filter_bound_min_end(const edit_filter_bound_t *bound, int64_t shorter)
{
    int64_t overlap = filter_goal_overlap(&bound->goal, shorter);
    int64_t least = overlap - filter_goal_max_edits(&bound->goal, overlap); /* c L, up */

    /* Of other ends F alone says so: who leaves letters of the query out has edits. */
    return bound->goal.ends == ENDS_FREE && least > 1 ? (int32_t)least : 1;
}
