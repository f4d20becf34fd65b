/*
 * tiled_layout.cu - chooses the layout of cells of tiled-dscan.
 */
#include "kernels/align/tiled/tiled_layout.cuh"

extern "C" {
#include "kernels/align/common/nw_key.h"
}

namespace
{

/* Bits of a key, so that keys can be compared as doubles (cuda_max_key). */
constexpr int KEY_BITS = 62;

void find_steps(const align_spec_t *spec, tiled_layout_t *f)
{
    const align_scoring_t *s = &spec->scoring;
    long long best = INT32_MIN;

    f->unit = 1;
    f->gap_cost = -static_cast<long long>(s->gap);
    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++)
            best = s->score[a][b] > best ? s->score[a][b] : best;
    f->match = (s->two_valued ? s->match : best) + 2 * f->gap_cost;
    f->mismatch = s->mismatch + 2 * f->gap_cost;
    if (s->two_valued && !f->ends_free && f->match > 0 && f->mismatch > 0) {
        f->unit = fraction_divisor(f->match, f->mismatch);
        f->match /= f->unit;
        f->mismatch /= f->unit;
    }
}

/* @return what a cell has to hold beside h and M for the columns to follow */
tiled_tie_t tie_of(const align_spec_t *spec, const tiled_layout_t &f)
{
    if (!f.identity)
        return TILED_TIE_NONE;
    if (!spec->scoring.two_valued || f.match <= 0 || f.mismatch == 0)
        return TILED_TIE_STEPS;
    if (!f.ends_free || f.mismatch < 0 || f.mismatch == f.gap_cost)
        return TILED_TIE_NONE;
    return f.mismatch > f.gap_cost ? TILED_TIE_STARTS : TILED_TIE_STARTS_FALLING;
}

/* Compute the steps.  Under two-valued scoring a and b are sets of bases: see cuda_set_t.
 */
void fill_steps(const align_spec_t *spec, tiled_layout_t *f)
{
    const align_scoring_t *s = &spec->scoring;
    const int match_bits = f->h_shift - f->tie_bits;

    for (int a = 0; a < DNA_SIZE; a++)
        for (int b = 0; b < DNA_SIZE; b++) {
            const bool meet = (a & b) != 0;
            const bool matches = s->two_valued ? meet : s->is_match[a][b] != 0;
            const long long score = !s->two_valued ? s->score[a][b]
                                    : meet         ? s->match
                                                   : s->mismatch;
            const long long h = score + 2 * f->gap_cost;

            f->steps[a][b] = h < 0 ? TILED_STEP_NONE
                                   : static_cast<int>((h / f->unit << match_bits) +
                                                      (f->identity && matches ? 1 : 0));
        }
}

void set_borders(tiled_layout_t *f)
{
    if (f->tie == TILED_TIE_STARTS_FALLING)
        f->border_first = f->starts_max;
    if (!f->ends_free)
        return;
    f->border_step = f->gap_cost << f->h_shift;
    if (f->tie == TILED_TIE_STARTS_FALLING)
        f->border_step -= 1;
    else if (f->tie != TILED_TIE_NONE)
        f->border_step += 1;
}

} // namespace

bool tiled_layout_choose(const align_spec_t *spec, int64_t m, int64_t n,
                         tiled_layout_t *out)
{
    const long long shorter = m < n ? m : n, longer = m > n ? m : n;
    tiled_layout_t f = {};

    f.ends_free = spec->ends == ENDS_FREE;
    f.identity = align_has_identity(spec);
    find_steps(spec, &f);
    const long long up = f.match > 0 ? f.match : 0; /* the largest step */
    const long long rise = f.ends_free && f.gap_cost > up ? f.gap_cost : up;
    const int window_bits = nw_key_bits((rise + 1) * TILED_WINDOW);
    const int h_bits =
        nw_key_bits(up * (shorter + 1) + (f.ends_free ? f.gap_cost * (m + n + 2) : 0));

    f.tie = tie_of(spec, f);
    if (f.tie == TILED_TIE_STARTS || f.tie == TILED_TIE_STARTS_FALLING)
        f.tie_bits = nw_key_bits(2 * longer + 2);
    else if (f.tie == TILED_TIE_STEPS)
        f.tie_bits = nw_key_bits(m + n + 2);
    f.starts_max = longer;
    f.h_shift = f.tie_bits + (f.identity ? nw_key_bits(shorter + 1) : 0);
    f.margin = static_cast<int>(rise * TILED_BEHIND) + 1;
    if (rise > INT32_MAX / TILED_WINDOW || h_bits + f.h_shift > KEY_BITS ||
        nw_key_bits(up) + f.h_shift - f.tie_bits > 31)
        return false;
    if (!f.identity && up <= TILED_STEP_MAX && window_bits <= 16 && h_bits <= 32)
        f.kind = TILED_SCORE2;
    else if (f.tie == TILED_TIE_NONE && window_bits + f.h_shift <= 32)
        f.kind = TILED_KEY;
    else if (f.identity && window_bits + f.h_shift <= KEY_BITS)
        f.kind = f.tie == TILED_TIE_STEPS ? TILED_KEY64_STEPS : TILED_KEY64;
    else
        return false;
    fill_steps(spec, &f);
    set_borders(&f);
    *out = f;
    return true;
}
