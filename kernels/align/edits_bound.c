#include "kernels/align/edits_bound.h"

#include "io/logmsg.h"

#include <stdlib.h>

static int32_t most_of(align_part_t c, int64_t letters)
{
    __int128 most = (__int128)letters * (c.denominator - c.numerator) / c.numerator;

    return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

status_t edits_bound_create(const align_spec_t *spec, align_part_t part, int64_t max_len,
                            edits_bound_t *out)
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
        most[k] = most_of(goal.part, k);
    *out = (edits_bound_t){.goal = goal, .most = most, .n = max_len + 1};
    return ST_OK;
}

void edits_bound_free(edits_bound_t *bound)
{
    free(bound->most);
    bound->most = NULL;
}

int32_t edits_bound_least(const edits_bound_t *bound, int64_t shorter)
{
    int64_t overlap = filter_goal_overlap(&bound->goal, shorter);
    int64_t least = overlap - filter_goal_edits(&bound->goal, overlap); /* c L, up */

    /* Of other ends F alone says so: who leaves letters of the query out has edits. */
    return bound->goal.ends == ENDS_FREE && least > 1 ? (int32_t)least : 1;
}
