/*
 * rscan_layout.cu - the layouts of the kinds of cells, and up to what lengths they hold.
 */
#include "kernels/align/rscan/rscan_layout.cuh"

#include "kernels/align/common/nw_key.h"

namespace
{

constexpr int64_t LEN_MAX = 1 << 20;

/* The top bit of a SCORE2 step has to be 0: the permutation makes the byte above it from
 * that bit. */
constexpr int64_t SCORE2_STEP_MAX = 127;
/* Of a KEY the same holds for the byte of the match, but not for that of h. */
constexpr int64_t KEY_STEP_MAX = 255;
constexpr int KEY_SHIFT = 16, KEY_TIE_MAX = 6;

align_spec_t score_of(const align_spec_t *spec)
{
    align_spec_t score = *spec;

    score.emit = EMIT_SCORE;
    return score;
}

/* @return the maximum of h plus one step.  With free ends it depends on the shorter
 *         sequence and on the sum of both lengths, so it is a bound for all pairs of at
 *         most 2 len bases. */
int64_t max_h(const cell_layout_t &f, int64_t len)
{
    const int64_t step = f.match > 0 ? f.match : 0;
    const int64_t score = f.match_score > 0 ? f.match_score : 0;

    return f.columns_free ? score * (len + 1) + f.gap_cost * (2 * len + 2)
                          : step * (len + 1);
}

/* The same where RSCAN_ROUND_BOUND may add 1 per row. */
int64_t max_bound_h(const cell_layout_t &f, int64_t len)
{
    return max_h(f, len) + (f.columns_free ? len : 0);
}

bool score2_layout(const align_spec_t *spec, int64_t len, cell_layout_t *out)
{
    const align_spec_t score = score_of(spec);

    return cell_layout_choose(&score, len, len, false, out) &&
           out->match <= SCORE2_STEP_MAX && max_bound_h(*out, len) <= UINT16_MAX;
}

/* The layout of SWEEP_32, with fields moved to byte boundaries. */
bool key_layout(const align_spec_t *spec, int64_t len, cell_layout_t *out)
{
    cell_layout_t f;
    const int m_bits = nw_key_bits(len + 1);

    if (!align_has_identity(spec) || !cell_layout_choose(spec, len, len, false, &f) ||
        f.sweep != SWEEP_32)
        return false;
    for (int tie = f.tie == TIE_NONE ? 0 : KEY_TIE_MAX; tie >= 0; tie--) {
        if (tie == 0 && f.tie != TIE_NONE)
            return false;
        f.m_shift = tie;
        f.h_shift = tie + m_bits > KEY_SHIFT ? tie + m_bits : KEY_SHIFT;
        if (f.h_shift + nw_key_bits(max_h(f, len)) <= 32 &&
            f.match << (f.h_shift - KEY_SHIFT) <= KEY_STEP_MAX)
            break;
        if (tie == 0)
            return false;
    }
    f.tie_max = (INT64_C(1) << f.m_shift) - 1;
    f.step_match = cell_layout_step(&f, f.match * f.unit - 2 * f.gap_cost, true);
    f.step_mismatch = cell_layout_step(&f, f.mismatch * f.unit - 2 * f.gap_cost, false);
    *out = f;
    return true;
}

bool sets_layout(const align_spec_t *spec, int64_t len, cell_layout_t *out)
{
    return cell_layout_choose(spec, len, len, false, out) &&
           (spec->emit == EMIT_SCORE ? nw_key_bits(max_bound_h(*out, len)) <= 32
                                     : out->sweep == SWEEP_32);
}

bool sets64_layout(const align_spec_t *spec, int64_t len, cell_layout_t *out)
{
    return align_has_identity(spec) && cell_layout_choose(spec, len, len, true, out) &&
           (out->sweep == SWEEP_32 || out->sweep == SWEEP_64);
}

bool layout_of(int kind, const align_spec_t *spec, int64_t len, cell_layout_t *out)
{
    switch (kind) {
    case RSCAN_SCORE2:
        return score2_layout(spec, len, out);
    case RSCAN_KEY:
        return key_layout(spec, len, out) &&
               (out->tie == TIE_NONE || out->m_shift == KEY_TIE_MAX);
    case RSCAN_KEY_LONG:
        return key_layout(spec, len, out);
    case RSCAN_KEY_TIES:
        return false;
    case RSCAN_SETS:
        return sets_layout(spec, len, out);
    default:
        return sets64_layout(spec, len, out);
    }
}

} // namespace

int rscan_usual_len(const seqset_t *set, int max_len)
{
    int64_t len = 1023;

    while (len < max_len) {
        int64_t n_longer = 0;

        for (int64_t i = 0; i < set->n; i++)
            n_longer += seqset_len(set, i) > len;
        if (n_longer * 100 <= set->n)
            return static_cast<int>(len);
        len = 2 * len + 1;
    }
    return max_len;
}

bool rscan_holds(int kind, const align_spec_t *spec, int64_t len)
{
    cell_layout_t f;

    return spec->scoring.two_valued && len < LEN_MAX && layout_of(kind, spec, len, &f);
}

int rscan_limit(int kind, const align_spec_t *spec)
{
    int64_t low = 0, high = LEN_MAX; /* there is a layout for low, none for high */
    cell_layout_t f;

    if (!spec->scoring.two_valued)
        return 0;
    while (high - low > 1) {
        const int64_t len = (low + high) / 2;

        if (layout_of(kind, spec, len, &f))
            low = len;
        else
            high = len;
    }
    return static_cast<int>(low);
}

int rscan_layout(int kind, const align_spec_t *spec, int len, cell_layout_t *out)
{
    const int limit = rscan_limit(kind, spec);

    len = len < limit ? len : limit;
    return len > 0 && layout_of(kind, spec, len, out) ? len : 0;
}

bool rscan_holds_long(const align_spec_t *spec, int64_t m, int64_t n)
{
    const int64_t shorter = m < n ? m : n, longer = m > n ? m : n;

    if (rscan_holds(RSCAN_SETS, spec, longer))
        return true;
    return spec->ends == ENDS_FREE && spec->emit == EMIT_IDENTITY && longer < LEN_MAX &&
           rscan_holds(RSCAN_KEY_LONG, spec, shorter) &&
           rscan_holds(RSCAN_SETS, spec,
                       shorter > DSCAN_STRIP_MAX ? shorter : DSCAN_STRIP_MAX);
}

int rscan_long_limit(const cell_layout_t *layout, int max_len)
{
    const int64_t score = layout->match_score > 0 ? layout->match_score : 0;
    const int64_t c = layout->gap_cost,
                  h_max = (INT64_C(1) << (32 - layout->h_shift)) - 1;
    int64_t high = (h_max - c * DSCAN_STRIP_MAX) / (score + c);

    if (high > DSCAN_STRIP_MAX)
        high = h_max / (score + 2 * c);
    return static_cast<int>(high < 0 ? 0 : high < max_len ? high : max_len);
}

int rscan_layout_bits(const cell_layout_t &layout, int64_t len)
{
    return layout.h_shift + nw_key_bits(max_h(layout, len));
}
