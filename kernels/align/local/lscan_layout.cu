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

bool key_fits(const align_spec_t *spec, int64_t m, int64_t n)
{
    const int64_t max = column_range(&spec->scoring).max * std::min(m, n);

    return nw_key_layout(spec, m, n).score_shift + nw_key_bits(max) + 2 <= LSCAN_KEY_BITS;
}

} // namespace

bool lscan_holds(const align_spec_t *spec, int64_t m, int64_t n)
{
    const int64_t longer = std::max(m, n);
    const align_scoring_t *s = &spec->scoring;

    return longer <= LSCAN_LEN_MAX && m * n <= LSCAN_CELLS_MAX &&
           !(s->two_valued && s->mismatch > 0) && /* of pads, too */
           key_fits(spec, longer, longer);
}

void lscan_layout(const align_spec_t *spec, int64_t len, lscan_layout_t *out,
                  signed char *scores, long long *keys)
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
    for (int a = 0; a < ALPHABET_SIZE; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++) {
            const int at = a * ALPHABET_SIZE + b, size = alphabet_size(s->alphabet);
            const bool used = a < size && b < size;
            const int64_t score = used ? score_of(s, a, b) : 0;

            scores[at] = static_cast<signed char>(fits ? score : 0);
            keys[at] = nw_key_step(out->key, score, used && is_match(s, a, b));
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
    launch->key_open = nw_key_step(layout.key, s->gap_open, 0);
    launch->key_extend = nw_key_step(layout.key, s->gap, 0);
    launch->n_letters = (alphabet_size(s->alphabet) + 3) / 4 * 4;
}
