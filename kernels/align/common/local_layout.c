/*
 * local_layout.c - weights for the keys of local alignments.
 */
#include "kernels/align/common/local_layout.h"

/* No score is larger, so that products of the proof fit. */
static const int64_t NO_LIMIT = INT64_MAX / 8;

typedef struct {
    int64_t best, worst; /* what a column scores, gap bases included */
    int64_t min_cost;    /* of a column that is no match */
} bounds_t;

static bounds_t bounds_of(const align_scoring_t *s)
{
    const align_range_t range = align_scoring_range(s);
    bounds_t bounds = {.best = range.max > 0 ? range.max : 0,
                       .worst = range.min < s->gap_open ? range.min : s->gap_open,
                       .min_cost = -(int64_t)s->gap};
    const int size = alphabet_size(s->alphabet);

    for (int x = 1; x < size; x++)
        for (int y = 1; y < size; y++)
            if (!s->is_match[x][y] && -(int64_t)s->score[x][y] < bounds.min_cost)
                bounds.min_cost = -(int64_t)s->score[x][y];
    return bounds;
}

/* Let each of the others add -1. */
static void count_others(local_layout_t *f, const bounds_t *bounds)
{
    f->a = bounds->best;
    f->mismatch = f->open = f->extend = -1;
    f->fall_cost = bounds->min_cost;
    f->fall_tie = 1;
}

/* Let gap bases add what they cost more, or less, than mismatches. */
static void compare_costs(local_layout_t *f, const align_scoring_t *s)
{
    int64_t open = (int64_t)s->mismatch - s->gap_open;
    int64_t extend = (int64_t)s->mismatch - s->gap;

    f->a = s->match;
    f->b = -(int64_t)s->mismatch;
    f->c = fraction_divisor(open < 0 ? -open : open, extend < 0 ? -extend : extend);
    f->c = f->c > 0 ? f->c : 1;
    f->open = open / f->c;
    f->extend = extend / f->c;
    f->rise_cost = -(int64_t)s->gap_open;
    f->rise_tie = f->open > 0 ? f->open : 0;
    f->fall_cost = -(int64_t)s->gap;
    f->fall_tie = f->extend < 0 ? -f->extend : 0;
}

/* Most gaps are short, so of ties of both signs most are above 0. */
static int64_t lowest_tie(const local_layout_t *f)
{
    if (f->fall_tie == 0)
        return 0;
    return f->rise_tie == 0 ? 1 - f->match_weight : -f->match_weight / 4;
}

bool local_layout_choose(const align_spec_t *spec, int64_t m, int64_t n, int64_t max,
                         bool exact, local_layout_t *out)
{
    const align_scoring_t *s = &spec->scoring;
    bounds_t bounds = bounds_of(s);
    local_layout_t f = {.score_weight = 1,
                        .max_matches = m < n ? m : n,
                        .n_bases = m + n};
    int64_t scores = bounds.best * f.max_matches - 3 * bounds.worst + 3;
    int64_t ties;

    f.floor = -2 * bounds.worst + 2;
    if (scores > NO_LIMIT / (f.max_matches + 2))
        return false;
    if (!align_has_identity(spec)) {
        *out = f;
        return scores <= max;
    }
    if (exact || !s->two_valued || s->mismatch >= 0 || s->match <= 0)
        count_others(&f, &bounds);
    else
        compare_costs(&f, s);
    f.match_weight = max / ((f.max_matches + 1) * scores + f.max_matches + 2);
    ties = m + n + 1;
    f.is_exact = f.b == 0 && f.match_weight >= ties;
    if (f.is_exact)
        f.match_weight = ties;
    f.score_weight = f.match_weight * (f.max_matches + 1);
    f.floor *= f.score_weight;
    f.low = lowest_tie(&f);
    *out = f;
    return f.is_exact || (!exact && f.match_weight > 2 * (f.open > 1 ? f.open : 1));
}

static bool has_no_lower_tie(const local_layout_t *f, int64_t s, int64_t m, int64_t t)
{
    int64_t w = f->match_weight;

    return (w - t > f->fall_tie * (f->n_bases - 2 * (m + 1)) &&
            w * (f->max_matches + 1 - m) - t > f->fall_tie * f->n_bases) ||
           (f->fall_cost * w >= f->fall_tie * f->a &&
            f->fall_cost * (w - t) > f->fall_tie * (f->a * (m + 1) - s));
}

static bool has_no_higher_tie(const local_layout_t *f, int64_t s, int64_t m, int64_t t)
{
    int64_t w = f->match_weight;

    return f->rise_tie == 0 ||
           (f->rise_cost * (t + w) > f->rise_tie * (f->a * (m - 1) - s) &&
            f->rise_cost * (t + (m + 1) * w) >
                f->rise_tie * (f->a * f->max_matches - s + 1));
}

bool local_layout_split(const local_layout_t *f, int64_t key, int64_t *score,
                        int64_t *matches, int64_t *columns)
{
    int64_t w = f->match_weight, units, tie;
    bool proved;

    *matches = *columns = 0;
    *score = key > 0 ? key : 0;
    if (w == 0 || key <= 0)
        return true;
    /* key = units * w + tie, low <= tie < low + w; low <= 0 */
    units = (key - f->low) / w;
    tie = key - units * w;
    *score = units / (f->max_matches + 1);
    *matches = units % (f->max_matches + 1);
    proved = f->is_exact || (has_no_lower_tie(f, *score, *matches, tie) &&
                             has_no_higher_tie(f, *score, *matches, tie));
    *columns =
        *matches + (f->b == 0 ? -tie : (f->a * *matches - *score - f->c * tie) / f->b);
    if (*score == 0)
        *matches = *columns = 0;
    return proved;
}
