/*
 * filter_bound.c - the bounds of filter_bound.h, in exact integers.
 */
#include "kernels/align/filter/filter_bound.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/aligner_backend.h"

#include <stdlib.h>

/* @return floor(a b / c); decimals of many digits need more than 64 bits on the way */
static int64_t mul_div(int64_t a, int64_t b, int64_t c)
{
    return (int64_t)((__int128)a * b / c);
}

static int64_t mul_div_up(int64_t a, int64_t b, int64_t c)
{
    return (int64_t)(((__int128)a * b + c - 1) / c);
}

/* What docs/filters.md proves. The bounds count edits, so gap models and scores do not
 * matter to them, and neither does the output. */
static const align_support_t proved = {
    .alphabets = ALIGN_BIT(ALPHABET_DNA),
    .gaps = ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
    .ends = ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY) |
            ALIGN_BIT(ENDS_PRICED),
    .scorings = ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
    .emits = ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) | ALIGN_BIT(EMIT_CIGAR)};

status_t filter_goal_set(const align_spec_t *spec, fraction_t identity,
                         filter_goal_t *out)
{

    if (!align_support_has(&proved, spec)) {
        log_error("filter: no bound is proved for this kind of alignment");
        return ST_EUSAGE;
    }
    if (identity.denominator <= 0 || identity.numerator < 0 ||
        identity.numerator > identity.denominator) {
        log_error("filter: the minimum identity %lld/%lld is not between 0 and 1",
                  (long long)identity.numerator, (long long)identity.denominator);
        return ST_EUSAGE;
    }
    out->identity = identity;
    fraction_reduce(&out->identity);
    out->ends = spec->ends == ENDS_PRICED ? ENDS_FREE : spec->ends;
    out->min_overlap = out->ends != ENDS_FREE || spec->min_overlap.denominator <= 0
                           ? (fraction_t){0, 1}
                           : spec->min_overlap;
    return ST_OK;
}

int64_t filter_goal_overlap(const filter_goal_t *goal, int64_t len)
{
    return mul_div_up(len, goal->min_overlap.numerator, goal->min_overlap.denominator);
}

int64_t filter_goal_max_edits(const filter_goal_t *goal, int64_t columns)
{
    return mul_div(columns, goal->identity.denominator - goal->identity.numerator,
                   goal->identity.denominator);
}

void filter_goal_partner_lens(const filter_goal_t *goal, int64_t len, int32_t *min_len,
                              int32_t *max_len)
{
    const fraction_t *c = &goal->identity;

    *min_len = 0;
    *max_len = INT32_MAX;
    if (c->numerator == 0)
        return;
    *min_len = 1; /* a match takes a base of each sequence */
    if (len == 0)
        *max_len = 0;
    if (goal->ends == ENDS_FREE || len == 0)
        return;
    *min_len = (int32_t)mul_div_up(len, c->numerator, c->denominator);
    if (goal->ends == ENDS_COUNT) {
        int64_t end = mul_div(len, c->denominator, c->numerator);

        *max_len = end < INT32_MAX ? (int32_t)end : INT32_MAX;
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
    int64_t n = 2 * max_len + 2; /* an alignment has at most m + n columns */
    int64_t min_good = INT32_MAX;
    int32_t *table = malloc((size_t)n * sizeof(*table));

    if (table == NULL)
        return log_nomem("the filter's bounds");
    for (int64_t columns = n - 1; columns >= 0; columns--) {
        int64_t good = good_windows(goal, k, columns);

        min_good = good < min_good ? good : min_good;
        table[columns] = min_good > INT32_MIN ? (int32_t)min_good : INT32_MIN;
    }
    *out = (filter_bound_t){.k = k, .min_good = table, .n = n};
    return ST_OK;
}

void filter_bound_free(filter_bound_t *bound)
{
    free(bound->min_good);
    bound->min_good = NULL;
}

filter_demand_t filter_goal_demand(const filter_goal_t *goal, int k, int64_t len)
{
    const fraction_t *c = &goal->identity;
    filter_demand_t demand = {.min_good = INT32_MIN};
    int64_t min_good = len - k + 1, end;

    filter_goal_partner_lens(goal, len, &demand.partner_min, &demand.partner_max);
    if (k == 0 || k * (c->denominator - c->numerator) >= c->denominator)
        return demand; /* edits can spoil every window */
    end = mul_div(len, c->denominator, c->numerator);
    for (int64_t columns = len; columns <= end; columns++) {
        int64_t good = good_windows(goal, k, columns);

        min_good = good < min_good ? good : min_good;
    }
    demand.min_good = (int32_t)min_good;
    return demand;
}

int64_t filter_goal_bin_end(const filter_goal_t *goal, int64_t len, int bin)
{
    int64_t overlap = filter_goal_overlap(goal, len);

    return overlap >= len ? len
                          : overlap + (len - overlap) * (bin + 1) / (FILTER_BINS + 1);
}

/* @return T(columns); beyond the table its last value, which is not above T */
static int32_t min_good_of(const filter_bound_t *bound, int64_t columns)
{
    return bound->min_good[columns < bound->n ? columns : bound->n - 1];
}

filter_min_good_t filter_bound_min_good(const filter_goal_t *goal,
                                        const filter_bound_t *bound, int64_t len)
{
    int64_t first = goal->ends != ENDS_FREE ? len : filter_goal_overlap(goal, len);
    int32_t any = min_good_of(bound, first);
    filter_min_good_t out = {.any = any, .whole = any};

    for (int bin = 0; bin < FILTER_BINS; bin++)
        out.bin[bin] = INT32_MAX;
    if (goal->ends != ENDS_FREE || first >= len) /* no dovetail is long enough */
        return out;
    for (int bin = 0; bin < FILTER_BINS; bin++) {
        int64_t end = filter_goal_bin_end(goal, len, bin);

        if (first <= end)
            out.bin[bin] = min_good_of(bound, first);
        first = end + 1;
    }
    out.whole = min_good_of(bound, first < len ? first : len);
    return out;
}
