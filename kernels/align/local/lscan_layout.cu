/*
 * lscan_layout.cu - chooses the layouts of cells of local alignments.
 */
#include "kernels/align/local/lscan_layout.cuh"

#include <algorithm>
#include <cmath>

namespace
{

/* @return the score of a column by the bytes of cuda_set_t */
int64_t score_of(const align_scoring_t *s, int a, int b)
{
    if (s->two_valued)
        return (a & b) != 0 ? s->match : s->mismatch;
    return a == 0 || b == 0 ? 0 : s->score[a][b];
}

bool is_match(const align_scoring_t *s, int a, int b)
{
    return s->two_valued ? (a & b) != 0 : a != 0 && b != 0 && s->is_match[a][b] != 0;
}

/* @return the range of the scores of columns of letters and pads */
align_range_t column_range(const align_scoring_t *s)
{
    const align_range_t range = align_scoring_range(s);

    return {std::min(range.min, INT64_C(0)), std::max(range.max, INT64_C(0))};
}

/* @return what a gap of k letters costs */
int64_t gap_cost(const align_scoring_t *s, int64_t k)
{
    return -(s->gap_open + (k - 1) * s->gap);
}

/* Choose the layout of KEYS32 for pairs of at most len letters (lscan_layout.cuh).
 * @return whether there is one */
bool lay_out_keys32(const align_spec_t *spec, int64_t len, lscan_layout_t *out)
{
    constexpr int64_t ROWS = lscan_tuning_t<LSCAN_KEYS32>::ROWS;
    const align_scoring_t *s = &spec->scoring;
    const align_range_t column = column_range(s);
    const nw_key_t key = nw_key_layout(spec, len, len);

    static_assert(LSCAN_BASE_COLUMNS <= ROWS, "as the bounds require");
    if (key.score_shift == 0 || key.score_shift > 30)
        return false;
    const int64_t n_scores = INT64_C(1) << (32 - key.score_shift);
    const int64_t below =
        gap_cost(s, ROWS) + gap_cost(s, LSCAN_BASE_COLUMNS) +
        std::max(-column.min, -static_cast<int64_t>(s->gap_open) - s->gap);
    const int64_t above = column.max * ROWS + gap_cost(s, ROWS);

    /* the H of a corner is rounded down, so its base may be too low by 1 */
    if (below + above + 3 > n_scores)
        return false;
    out->key32 = key;
    out->max_len32 = len;
    out->bases32 = {key.score_shift, static_cast<int>(below + 1 - n_scores / 2)};
    return true;
}

/* @return the key's step of a column, or a gap's letter, in TRACED32 */
int64_t traced_step(const lscan_traced_t &t, int64_t score, bool matches)
{
    return t.score_weight * score + (matches ? t.match_weight : 0) - 1;
}

/* Choose what keys count from in TRACED32, by the bounds of KEYS32 for keys as scores.
 * @param bits  of a key. @return whether it has enough of them */
bool place_traced_bases(const align_scoring_t *s, int bits, lscan_layout_t *out)
{
    constexpr int64_t ROWS = lscan_tuning_t<LSCAN_TRACED32>::ROWS;
    constexpr int SHIFT_BITS = 16; /* of a key above its base's multiples */
    const lscan_traced_t &t = out->traced;
    const align_range_t column = column_range(s);
    const int shift = bits - SHIFT_BITS;
    const int64_t unit = INT64_C(1) << shift, n_units = INT64_C(1) << SHIFT_BITS;
    const int64_t open = -traced_step(t, s->gap_open, false),
                  extend = -traced_step(t, s->gap, false);
    const int64_t gap = open + (ROWS - 1) * extend; /* of as many columns, or fewer */
    const int64_t below =
        (2 * gap + std::max(-traced_step(t, column.min, false), open + extend)) / unit +
        1;
    const int64_t above = (traced_step(t, column.max, true) * ROWS + gap) / unit + 1;

    out->traced_bases = {shift, static_cast<int>(below + 1 - n_units / 2)};
    return below + above + 3 <= n_units;
}

/* Set what proves the numbers of a path in TRACED32 (lscan_layout.cuh). */
void set_bounds(const align_scoring_t *s, lscan_traced_t *out)
{
    const int size = alphabet_size(s->alphabet);
    int64_t max_match = 0, cost = -std::max<int64_t>(s->gap_open, s->gap);

    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            const int64_t score = score_of(s, a, b);

            if (is_match(s, a, b))
                max_match = std::max(max_match, score);
            else if (a != 0 && b != 0)
                cost = std::min(cost, -score);
        }
    out->max_column = cost >= 0 ? max_match : 0;
    out->min_cost = std::max<int64_t>(cost, 0);
}

bool key_fits(const align_spec_t *spec, int64_t m, int64_t n)
{
    const int64_t max = column_range(&spec->scoring).max * std::min(m, n);

    return nw_key_layout(spec, m, n).score_shift + nw_key_bits(max) + 2 <= LSCAN_KEY_BITS;
}

/* @return the most entries of a thread for a pair of at most LSCAN_CELLS_MAX cells */
template <int KIND> long long max_kept_entries(int64_t max_len, int square)
{
    constexpr int64_t ROWS = lscan_tuning_t<KIND>::ROWS;
    long long most = 0;

    for (int64_t m = 1; m <= max_len; m += ROWS) { /* the fewest letters of its strips */
        const int64_t n = std::min(max_len, LSCAN_CELLS_MAX / m);

        most = std::max(most, lscan_kept_entries<KIND>(m + ROWS - 1,
                                                       (n + LSCAN_QUAD - 1) / LSCAN_QUAD *
                                                           LSCAN_QUAD,
                                                       square));
    }
    return most;
}

} // namespace

long long lscan_max_kept_entries(int kind, int64_t max_len, int square)
{
    switch (lscan_plan_kind(kind)) {
    case LSCAN_KEYS32: /* pairs of any two lengths that it holds */
        return lscan_kept_entries<LSCAN_KEYS32>(max_len +
                                                    lscan_tuning_t<LSCAN_KEYS32>::ROWS,
                                                max_len + LSCAN_QUAD, square);
    case LSCAN_TRACED32:
        return max_kept_entries<LSCAN_TRACED32>(max_len, square);
    default:
        return max_kept_entries<LSCAN_KEYS>(max_len, square);
    }
}

bool lscan_holds(const align_spec_t *spec, int64_t m, int64_t n)
{
    const int64_t longer = std::max(m, n);
    const align_scoring_t *s = &spec->scoring;

    return longer <= LSCAN_LEN_MAX && m * n <= LSCAN_CELLS_MAX &&
           !(s->two_valued && s->mismatch > 0) && /* of pads, too */
           key_fits(spec, longer, longer);
}

void lscan_layout_traced(const align_spec_t *spec, int64_t len, int bits,
                         lscan_layout_t *out, lscan_steps_t *steps)
{
    const align_scoring_t *s = &spec->scoring;
    lscan_traced_t *t = &out->traced;

    *t = {};
    if (!align_has_identity(spec))
        return;
    set_bounds(s, t);
    for (t->score_weight = INT64_C(1) << (bits - 1); t->score_weight > 2 * len;
         t->score_weight -= t->score_weight / 64 + 1) {
        t->match_weight =
            static_cast<int64_t>(std::sqrt(static_cast<double>(t->score_weight)));
        if (place_traced_bases(s, bits, out))
            break;
    }
    if (t->score_weight <= 2 * len)
        *t = {};
    for (int a = 0; a < ALPHABET_SIZE; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++) {
            const bool used =
                std::max(a, b) < alphabet_size(s->alphabet) && t->score_weight > 0;

            steps->traced[a * ALPHABET_SIZE + b] = static_cast<int>(
                used ? traced_step(*t, score_of(s, a, b), is_match(s, a, b)) : 0);
        }
}

void lscan_layout(const align_spec_t *spec, int64_t len, lscan_layout_t *out,
                  lscan_steps_t *steps)
{
    const align_scoring_t *s = &spec->scoring;
    const align_range_t column = column_range(s);
    const int64_t gap = -static_cast<int64_t>(s->gap_open) - s->gap;
    const bool fits =
        column.min >= INT8_MIN && column.max <= INT8_MAX && gap <= INT16_MAX;

    *out = lscan_layout_t{};
    out->max_score = fits ? INT16_MAX : -1;
    out->max_column = std::max(column.max, INT64_C(1));
    out->key = nw_key_layout(spec, len, len);
    for (int64_t len32 = len; len32 > 0 && !lay_out_keys32(spec, len32, out);)
        len32 -= len32 / 64 + 1;
    if (out->max_len32 < len)
        lscan_layout_traced(spec, len, 32, out, steps);
    for (int a = 0; a < ALPHABET_SIZE; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++) {
            const int at = a * ALPHABET_SIZE + b, size = alphabet_size(s->alphabet);
            const bool used = a < size && b < size;
            const int64_t score = used ? score_of(s, a, b) : 0;

            const bool matches = used && is_match(s, a, b);

            steps->scores[at] = static_cast<signed char>(fits ? score : 0);
            steps->keys[at] = nw_key_step(out->key, score, matches);
            steps->keys32[at] =
                out->max_len32 > 0
                    ? static_cast<int>(nw_key_step(out->key32, score, matches))
                    : 0;
        }
}

void lscan_launch_set(const align_spec_t *spec, const lscan_layout_t &layout,
                      lscan_launch_t *launch)
{
    const align_scoring_t *s = &spec->scoring;
    const unsigned twice = 0x10001u;

    launch->words.open = (static_cast<unsigned>(s->gap_open) & 0xffff) * twice;
    launch->words.extend = (static_cast<unsigned>(s->gap) & 0xffff) * twice;
    launch->key = layout.key;
    launch->key32 = layout.key32;
    launch->keys.open = nw_key_step(layout.key, s->gap_open, 0);
    launch->keys.extend = nw_key_step(layout.key, s->gap, 0);
    launch->keys32.open = static_cast<int>(nw_key_step(layout.key32, s->gap_open, 0));
    launch->keys32.extend = static_cast<int>(nw_key_step(layout.key32, s->gap, 0));
    launch->bases32 = layout.bases32;
    launch->traced = layout.traced;
    launch->traced_bases = layout.traced_bases;
    launch->keys_traced.open =
        static_cast<int>(traced_step(layout.traced, s->gap_open, false));
    launch->keys_traced.extend =
        static_cast<int>(traced_step(layout.traced, s->gap, false));
    launch->n_letters = (alphabet_size(s->alphabet) + 3) / 4 * 4;
}
