#include "kernels/align/filter/filter_bound.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

/* @return floor(a b / c); decimals of many digits leave 64 bits on the way */
static int64_t mul_div(int64_t a, int64_t b, int64_t c)
{
    return (int64_t)((__int128)a * b / c);
}

static int64_t mul_div_up(int64_t a, int64_t b, int64_t c)
{
    return (int64_t)(((__int128)a * b + c - 1) / c);
}

bool filter_goal_set(const align_spec_t *spec, fraction_t part, filter_goal_t *out)
{
    int64_t a = part.denominator, b = part.numerator;

    if (part.denominator <= 0 || part.numerator < 0 || part.numerator > part.denominator)
        return false;
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    out->part = (fraction_t){part.numerator / a, part.denominator / a};
    out->ends = spec->ends;
    out->min_overlap = spec->ends != ENDS_FREE || spec->min_overlap.denominator <= 0
                           ? (fraction_t){0, 1}
                           : spec->min_overlap;
    return true;
}

int64_t filter_goal_overlap(const filter_goal_t *goal, int64_t len)
{
    return mul_div_up(len, goal->min_overlap.numerator, goal->min_overlap.denominator);
}

int64_t filter_goal_max_edits(const filter_goal_t *goal, int64_t columns)
{
    return mul_div(columns, goal->part.denominator - goal->part.numerator,
                   goal->part.denominator);
}

void filter_goal_partner_lens(const filter_goal_t *goal, int64_t len, int32_t *least,
                              int32_t *most)
{
    const fraction_t *c = &goal->part;

    *least = 0;
    *most = INT32_MAX;
    if (c->numerator == 0)
        return;
    *least = 1; /* a match takes a letter of each */
    if (len == 0)
        *most = 0;
    if (goal->ends == ENDS_FREE || len == 0)
        return;
    *least = (int32_t)mul_div_up(len, c->numerator, c->denominator);
    if (goal->ends == ENDS_COUNT) {
        int64_t end = mul_div(len, c->denominator, c->numerator);

        *most = end < INT32_MAX ? (int32_t)end : INT32_MAX;
    }
}

/* @return f(columns) */
static int64_t good_windows(const filter_goal_t *goal, int k, int64_t columns)
{
    return columns - k + 1 - k * filter_goal_max_edits(goal, columns);
}

status_t filter_bound_create(const filter_goal_t *goal, int k, int64_t max_len,
                             filter_bound_t *out)
{
    int64_t n = 2 * max_len + 2; /* no alignment has more columns than letters */
    int64_t least = INT32_MAX;
    int32_t *table = malloc((size_t)n * sizeof(*table));

    if (table == NULL)
        return log_nomem("a filter's bounds");
    for (int64_t columns = n - 1; columns >= 0; columns--) {
        int64_t good = good_windows(goal, k, columns);

        least = good < least ? good : least;
        table[columns] = least > INT32_MIN ? (int32_t)least : INT32_MIN;
    }
    *out = (filter_bound_t){.k = k, .least = table, .n = n};
    return ST_OK;
}

void filter_bound_free(filter_bound_t *bound)
{
    free(bound->least);
    bound->least = NULL;
}

filter_demand_t filter_goal_demand(const filter_goal_t *goal, int k, int64_t len)
{
    const fraction_t *c = &goal->part;
    filter_demand_t demand = {.windows = INT32_MIN};
    int64_t least = len - k + 1, end;

    filter_goal_partner_lens(goal, len, &demand.partner_min, &demand.partner_max);
    if (k == 0 || k * (c->denominator - c->numerator) >= c->denominator)
        return demand; /* differences can spoil every window */
    end = mul_div(len, c->denominator, c->numerator);
    for (int64_t columns = len; columns <= end; columns++) {
        int64_t good = good_windows(goal, k, columns);

        least = good < least ? good : least;
    }
    demand.windows = (int32_t)least;
    return demand;
}

int64_t filter_goal_bin_end(const filter_goal_t *goal, int64_t len, int k)
{
    int64_t overlap = filter_goal_overlap(goal, len);

    return overlap >= len ? len : overlap + (len - overlap) * (k + 1) / (FILTER_BINS + 1);
}

/* @return T(columns); beyond the table its last, which is no more */
static int32_t min_of(const filter_bound_t *bound, int64_t columns)
{
    return bound->least[columns < bound->n ? columns : bound->n - 1];
}

filter_min_windows_t filter_bound_min_windows(const filter_goal_t *goal,
                                              const filter_bound_t *bound, int64_t len)
{
    int64_t first = goal->ends != ENDS_FREE ? len : filter_goal_overlap(goal, len);
    filter_min_windows_t need = {.any = min_of(bound, first),
                                 .whole = min_of(bound, first)};

    for (int k = 0; k < FILTER_BINS; k++)
        need.bin[k] = INT32_MAX;
    if (goal->ends != ENDS_FREE || first >= len) /* no dovetail is long enough */
        return need;
    for (int k = 0; k < FILTER_BINS; k++) {
        int64_t end = filter_goal_bin_end(goal, len, k);

        if (first <= end)
            need.bin[k] = min_of(bound, first);
        first = end + 1;
    }
    need.whole = min_of(bound, first < len ? first : len);
    return need;
}
