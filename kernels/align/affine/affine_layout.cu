/*
 * affine_layout.cu - the layouts of cells with affine gaps, and up to what lengths they
 * hold.
 */
#include "kernels/align/affine/affine_layout.cuh"

#include "kernels/align/common/nw_key.h"

#include <algorithm>

namespace
{

/* As for rscan_layout.cu: the top bit of a step that is looked up has to be 0. */
constexpr int64_t SCORE2_STEP_MAX = 127;
constexpr int DOUBLE_BITS = 53, KEY_BITS = 62;
/* KEY: the step of h is in byte 2, those of M and T in byte 0; bits of T. */
constexpr int KEY_SHIFT = 16, KEY_TIE_MIN = 6, KEY_TIE_MAX = 7;
/* KEY_TIES: that of M is in byte 1; bits of T; M has those of this fraction of the bases.
 */
constexpr int TIES_SHIFT = 8, TIES_MIN = 8, TIES_MAX = 15, TIES_DIVISOR = 2;

/* The worst and the best score of a column. */
struct scores_t {
    int64_t worst, best;
};

scores_t scores_of(const align_scoring_t *s)
{
    const align_range_t range = align_scoring_range(s);

    return s->two_valued ? scores_t{s->mismatch, s->match}
                         : scores_t{range.min, range.max};
}

/* @return c */
int64_t normal_of(const align_spec_t *spec)
{
    const scores_t scores = scores_of(&spec->scoring);
    const int64_t worst = std::min(scores.worst, scores.best);
    int64_t c = std::max(-static_cast<int64_t>(spec->scoring.gap), (1 - worst) / 2);

    if (spec->ends == ENDS_PRICED)
        c = std::max(c, -static_cast<int64_t>(spec->end_gap.extend));
    return c;
}

/* Describe one side's terminal gaps, in scores. */
affine_side_t side_of(const align_spec_t *spec, bool of_query, int64_t c)
{
    return affine_side_t{!align_end_is_counted(spec, of_query),
                         c + align_end_gap(spec, of_query).extend};
}

/* @return whether two bytes of cuda_set_t match */
bool meets(const align_scoring_t *s, int a, int b)
{
    return s->two_valued ? (a & b) != 0 : s->is_match[a][b] != 0;
}

int64_t score_of(const align_scoring_t *s, int a, int b)
{
    if (!s->two_valued)
        return s->score[a][b];
    return meets(s, a, b) ? s->match : s->mismatch;
}

/* Fill in the columns of a layout that has c. */
void fill_columns(const align_scoring_t *s, affine_layout_t *f)
{
    for (int at = 0; at < DNA_SIZE * DNA_SIZE; at++) {
        const int a = at / DNA_SIZE, b = at % DNA_SIZE;
        const int64_t step = std::max(score_of(s, a, b) + 2 * f->c, INT64_C(0));

        f->columns.step[at] =
            static_cast<int>(std::min(step, static_cast<int64_t>(INT32_MAX)));
        f->columns.is_match[at / 32] |= (meets(s, a, b) ? 1u : 0u) << (at % 32);
    }
}

/* @return the maximum of any value that a thread computes for pairs of at most len bases.
 *
 * A path of D diagonal steps has h <= max(A, B) D + s (m + n - 2 D), where s is the
 * steepest step of a gap.  That is linear in D and the lengths, so it is greatest at an
 * end of their ranges.  Pads of the longest pair may add one diagonal step, and
 * AFFINE_ROWS_MAX steps of a terminal gap. */
int64_t max_value(const affine_layout_t &f, int64_t len)
{
    const int64_t step = std::max(f.match, f.mismatch);
    const int64_t s = std::max(f.extend, std::max(f.sides[0].slope, f.sides[1].slope));

    return f.bias + len * std::max(2 * s, step) + step + AFFINE_ROWS_MAX * s - f.offset +
           std::max(f.open, INT64_C(0));
}

/* The layout without fields: all steps are in scores. */
affine_layout_t layout_of(const align_spec_t *spec)
{
    const align_scoring_t *s = &spec->scoring;
    const int64_t c = normal_of(spec);
    const align_gap_t gap = align_scoring_gap(s);
    affine_layout_t f = {};

    f.c = c;
    f.table_stride = s->alphabet == ALPHABET_PROTEIN ? AFFINE_STRIDE : AFFINE_STRIDE_DNA;
    f.match = scores_of(s).best + 2 * c;
    f.mismatch = scores_of(s).worst + 2 * c;
    if (s->alphabet == ALPHABET_DNA)
        fill_columns(s, &f);
    f.extend = c + gap.extend;
    f.open = c + gap.open;
    f.sides[0] = side_of(spec, true, c);
    f.sides[1] = side_of(spec, false, c);
    f.counted_offset = static_cast<int64_t>(gap.open) - gap.extend;
    if (spec->ends == ENDS_PRICED)
        f.offset = static_cast<int64_t>(spec->end_gap.open) - spec->end_gap.extend;
    f.bias = 1 + f.extend - std::min(f.offset, f.counted_offset) -
             2 * std::min(f.open, INT64_C(0));
    return f;
}

/* @return whether only matches add to a cell, at most f.match (band_flank.cuh) */
bool only_matches_add(const align_spec_t *spec, const affine_layout_t &f)
{
    if (spec->scoring.alphabet != ALPHABET_DNA || f.extend != 0)
        return false;
    for (int a = 0; a < DNA_SIZE; a++)
        for (int b = 0; b < DNA_SIZE; b++) {
            const bool differ =
                __builtin_popcount(a) == 1 && __builtin_popcount(b) == 1 && a != b;

            if (f.columns.step[a * DNA_SIZE + b] > (differ ? 0 : f.match))
                return false;
        }
    return f.match > 0 && std::max(f.sides[0].slope, f.sides[1].slope) <= f.match;
}

/* @return whether codes score the same beside any letter */
bool codes_are_neutral(const affine_layout_t &f)
{
    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++)
            if (__builtin_popcount(a) > 1 &&
                f.columns.step[a * DNA_SIZE + b] !=
                    f.columns.step[a * DNA_SIZE + DNA_SIZE - 1])
                return false;
    return true;
}

/* Let values count quarters, or else halves, and have room for the bounds of a flank,
 * which may be a few matches too high.
 * @return whether they are at most `limit`, and steps at most `max_step` */
bool add_marks(affine_layout_t *f, int64_t max, int64_t limit, int64_t max_step)
{
    for (const int shift : {2, 1}) {
        const int64_t times = INT64_C(1) << shift;

        if (times * (max + 3 * f->match) > limit || times * f->match > max_step)
            continue;
        f->h_shift = shift;
        f->match *= times;
        f->mismatch *= times;
        f->open *= times;
        for (affine_side_t &side : f->sides)
            side.slope *= times;
        return true;
    }
    return false;
}

/* Move h up, and add M and Q below it. */
void add_fields(affine_layout_t *f, int64_t len)
{
    f->m_shift = nw_key_bits(2 * (len + AFFINE_ROWS_MAX));
    f->h_shift = f->m_shift + nw_key_bits(len + 1);
    f->extend <<= f->h_shift;
    f->open *= INT64_C(1) << f->h_shift;
    f->match = (f->match << f->h_shift) + (INT64_C(1) << f->m_shift) + 1;
    f->mismatch = (f->mismatch << f->h_shift) + 1;
    for (affine_side_t &side : f->sides)
        side.slope = (side.slope << f->h_shift) + side.ends;
}

/* The bits of T in KEY, or in KEY_TIES. */
struct tie_bits_t {
    int min, max;
};

/* The same for KEY. @param h_bits, m_bits  of h and M @return whether 32 bits suffice */
bool add_key_fields(affine_layout_t *f, int h_bits, int m_bits, tie_bits_t bits)
{
    const int64_t step = std::max(f->match, f->mismatch);
    int tie_bits = std::min(32 - h_bits - m_bits, bits.max);

    /* the step of h has to fit its byte */
    while (tie_bits > bits.min && tie_bits + m_bits > KEY_SHIFT &&
           step << (tie_bits + m_bits - KEY_SHIFT) > SCORE2_STEP_MAX)
        tie_bits--;
    f->m_shift = tie_bits;
    f->h_shift = std::max(tie_bits + m_bits, KEY_SHIFT);
    if (tie_bits < bits.min || f->h_shift + h_bits > 32 ||
        step << (f->h_shift - KEY_SHIFT) > SCORE2_STEP_MAX)
        return false;
    f->tie_first = (1 << f->m_shift) - 1 - affine_tuning_t<RSCAN_KEY>::ROWS;
    f->extend <<= f->h_shift;
    f->open *= INT64_C(1) << f->h_shift;
    f->match = (f->match << f->h_shift) + (INT64_C(1) << f->m_shift) + 1;
    f->mismatch = (f->mismatch << f->h_shift) + 1;
    for (affine_side_t &side : f->sides)
        side.slope <<= f->h_shift;
    f->tie_columns = f->sides[0].ends || f->sides[1].ends;
    return true;
}

/* The same for KEY_TIES, and the maxima up to which no field overflows in the rows below.
 *
 * These add at most as many diagonal steps as a thread has rows, a gap along all of them
 * and one along all columns, and a terminal gap behind an end. */
bool add_ties_fields(affine_layout_t *f, int64_t len)
{
    constexpr int ROWS = affine_tuning_t<RSCAN_KEY_TIES>::ROWS;
    const int64_t step = std::max(f->match, f->mismatch);
    const int64_t slope = std::max(f->sides[0].slope, f->sides[1].slope);
    const int64_t above = ROWS * (step + f->extend) + len * (slope + f->extend) -
                          f->offset + std::max(f->open, INT64_C(0));
    const int64_t border = f->bias + (len + ROWS) * slope;
    const int m_bits = nw_key_bits(len / TIES_DIVISOR);
    const int64_t m_max = (INT64_C(1) << m_bits) - 1;
    const int h_bits =
        nw_key_bits(f->bias + f->match * m_max + f->mismatch * (len / TIES_DIVISOR));

    f->h_max = (INT64_C(1) << h_bits) - 1 - above;
    f->m_max = m_max - ROWS;
    return m_bits + TIES_SHIFT <= 24 && f->m_max > 0 && border <= f->h_max &&
           add_key_fields(f, h_bits, m_bits, {TIES_MIN, TIES_MAX});
}

template <typename WORD>
affine_border_t<WORD> border_of(const affine_layout_t &f, const affine_side_t &side)
{
    const int64_t base = f.bias + (side.ends ? f.offset : f.counted_offset);

    return affine_border_t<WORD>{static_cast<WORD>((base << f.h_shift) + f.tie_first),
                                 static_cast<WORD>(side.slope)};
}

/* @param times  lanes of a word, as a factor */
template <typename WORD>
affine_words_t<WORD> words_of(const affine_layout_t &f, int64_t times)
{
    return affine_words_t<WORD>{static_cast<WORD>(f.extend * times),
                                static_cast<WORD>(f.open * times),
                                static_cast<WORD>(f.match * times),
                                static_cast<WORD>(f.mismatch * times),
                                times > 1 ? static_cast<WORD>((f.open & 0xffff) * times)
                                          : static_cast<WORD>(f.open),
                                static_cast<WORD>((f.bias << f.h_shift) + f.tie_first),
                                static_cast<WORD>((f.bias + f.offset) << f.h_shift),
                                static_cast<WORD>(-f.offset << f.h_shift),
                                static_cast<WORD>(-std::min(f.open, INT64_C(0))),
                                {border_of<WORD>(f, f.sides[0]),
                                 border_of<WORD>(f, f.sides[1])}};
}

} // namespace

int affine_kernel_kind(int kind, const align_scoring_t *s)
{
    if (s->two_valued)
        return kind;
    return kind == RSCAN_SETS     ? static_cast<int>(AFFINE_TABLE32)
           : kind == RSCAN_SETS64 ? static_cast<int>(AFFINE_TABLE_KEY)
                                  : kind;
}

int affine_guard_kind(int kind, const align_scoring_t *s)
{
    if (kind == RSCAN_SETS)
        return s->two_valued ? AFFINE_GUARD_SETS : AFFINE_GUARD_CODES;
    return kind == RSCAN_SCORE2 ? static_cast<int>(AFFINE_GUARD2) : kind;
}

bool affine_layout(int kind, const align_spec_t *spec, int64_t len, affine_layout_t *out)
{
    affine_layout_t f = layout_of(spec);
    const int64_t max = max_value(f, len);

    if (!spec->scoring.two_valued && (kind == RSCAN_SETS || kind == RSCAN_SETS64))
        return false;
    switch (kind) {
    case RSCAN_SCORE2:
        if (max > UINT16_MAX || std::max(f.match, f.mismatch) > SCORE2_STEP_MAX)
            return false;
        break;
    case AFFINE_GUARD2:
    case AFFINE_GUARD_CODES:
        if (!only_matches_add(spec, f) ||
            (kind == AFFINE_GUARD_CODES && !codes_are_neutral(f)) ||
            !add_marks(&f, max, UINT16_MAX, SCORE2_STEP_MAX))
            return false;
        break;
    case AFFINE_GUARD_SETS:
        /* sums of values, too, are less than 2^31 (guard_over) */
        if (!only_matches_add(spec, f) || !add_marks(&f, max, INT32_MAX / 8, INT32_MAX))
            return false;
        break;
    case RSCAN_SETS:
    case AFFINE_TABLE32:
        if (max > INT32_MAX)
            return false;
        break;
    case RSCAN_KEY:
    case AFFINE_TABLE_KEY32:
        if (!align_has_identity(spec) ||
            !add_key_fields(&f, nw_key_bits(max), nw_key_bits(len),
                            {KEY_TIE_MIN, KEY_TIE_MAX}))
            return false;
        break;
    case RSCAN_KEY_TIES:
        if (!align_has_identity(spec) || !add_ties_fields(&f, len))
            return false;
        break;
    case RSCAN_SETS64:
    case AFFINE_TABLE_KEY:
    case AFFINE_TABLE64:
        if (nw_key_bits(max) + 2 * nw_key_bits(2 * (len + AFFINE_ROWS_MAX)) > KEY_BITS)
            return false;
        add_fields(&f, len);
        if (nw_key_bits(max) + f.h_shift >
            (kind == AFFINE_TABLE64 ? KEY_BITS : DOUBLE_BITS))
            return false;
        break;
    default:
        return false;
    }
    *out = f;
    return true;
}

int64_t affine_ties_score(const affine_layout_t &layout)
{
    const int64_t h =
        std::min(layout.h_max, (layout.match >> layout.h_shift) * layout.m_max);

    return h * 7 / 8 - layout.bias + layout.offset;
}

int affine_limit(int kind, const align_spec_t *spec, int len)
{
    int low = 0, high = len + 1; /* there is a layout for low, none for high */
    affine_layout_t f;

    while (high - low > 1) {
        const int middle = low + (high - low) / 2;

        if (affine_layout(kind, spec, middle, &f))
            low = middle;
        else
            high = middle;
    }
    return low;
}

void affine_table(const align_spec_t *spec, const affine_layout_t &layout, int64_t *out)
{
    const align_scoring_t *s = &spec->scoring;
    const int64_t match = layout.m_shift > 0 ? INT64_C(1) << layout.m_shift : 0;
    const int64_t diagonal = layout.m_shift > 0 ? 1 : 0;

    std::fill(out, out + AFFINE_TABLE, 0);
    for (int a = 0; a < alphabet_size(s->alphabet); a++)
        for (int b = 0; b < alphabet_size(s->alphabet); b++) {
            const int64_t step = std::max(score_of(s, a, b) + 2 * layout.c, INT64_C(0));

            out[a * layout.table_stride + b] =
                (step << layout.h_shift) + (meets(s, a, b) ? match : 0) + diagonal;
        }
}

cell_layout_t affine_cell_layout(const affine_layout_t &layout)
{
    cell_layout_t out = {};

    out.rows_free = layout.sides[0].ends;
    out.columns_free = layout.sides[1].ends;
    return out;
}

void affine_launch_set(int kind, const affine_layout_t &layout, affine_launch_t *launch)
{
    launch->layout = layout;
    launch->rounds.layout = affine_cell_layout(layout);
    launch->rounds.mad_one = 1;
    launch->words32 =
        words_of<unsigned>(layout, kind == RSCAN_SCORE2 || kind == AFFINE_GUARD2 ||
                                           kind == AFFINE_GUARD_CODES
                                       ? 0x10001
                                       : 1);
    launch->words64 = words_of<unsigned long long>(layout, 1);
    launch->words_double = words_of<double>(layout, 1);
}
