/*
 * lscan_layout.cu - chooses the layouts of cells of local alignments.
 */
#include "kernels/align/local/lscan_layout.cuh"

#include <algorithm>

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
    out->corner32 = static_cast<int>(below + 1 - n_scores / 2);
    return true;
}

bool key_fits(const align_spec_t *spec, int64_t m, int64_t n)
{
    const int64_t max = column_range(&spec->scoring).max * std::min(m, n);

    return nw_key_layout(spec, m, n).score_shift + nw_key_bits(max) + 2 <= LSCAN_KEY_BITS;
}

/* @return entries of a thread that keeps the lines of a pair of m and n letters, whatever
 *         rounds the numbers of its rows, columns and segments up */
template <int KIND> long long kept_entries(int64_t m, int64_t n)
{
    return lscan_kept_entries<KIND>(m + 2 * lscan_tuning_t<KIND>::ROWS,
                                    n + LSCAN_SEGMENT);
}

} // namespace

long long lscan_max_kept_entries(int kind, int64_t max_len)
{
    /* of pairs of as many cells an extreme shape needs most, because a + b m + c / m is
     * convex in the rows m */
    const int64_t shorter = std::min(max_len, LSCAN_CELLS_MAX / max_len + 1);

    if (kind != LSCAN_KEYS) /* pairs of any two lengths that it holds */
        return lscan_kept_entries<LSCAN_KEYS32>(max_len +
                                                    lscan_tuning_t<LSCAN_KEYS32>::ROWS,
                                                max_len + LSCAN_QUAD);
    return std::max(kept_entries<LSCAN_KEYS>(shorter, max_len),
                    kept_entries<LSCAN_KEYS>(max_len, shorter));
}

bool lscan_holds(const align_spec_t *spec, int64_t m, int64_t n)
{
    const int64_t longer = std::max(m, n);
    const align_scoring_t *s = &spec->scoring;

    return longer <= LSCAN_LEN_MAX && m * n <= LSCAN_CELLS_MAX &&
           !(s->two_valued && s->mismatch > 0) && /* of pads, too */
           key_fits(spec, longer, longer);
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
    launch->keys.key = layout.key;
    launch->keys.open = nw_key_step(layout.key, s->gap_open, 0);
    launch->keys.extend = nw_key_step(layout.key, s->gap, 0);
    launch->keys32.key = layout.key32;
    launch->keys32.open = static_cast<int>(nw_key_step(layout.key32, s->gap_open, 0));
    launch->keys32.extend = static_cast<int>(nw_key_step(layout.key32, s->gap, 0));
    launch->corner32 = layout.corner32;
    launch->n_letters = (alphabet_size(s->alphabet) + 3) / 4 * 4;
}
