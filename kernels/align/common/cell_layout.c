/*
 * cell_layout.c - chooses layouts of cells, and reads cells back.
 */
#include "kernels/align/common/cell_layout.h"

#include "kernels/align/common/nw_key.h"

/* Neighbouring cells of a guarded sweep may differ by a little more than a step. */
enum { GUARDED_STEP_MAX = 240 };

/* Tiles consist of blocks of rows: SIMD_AFFINE_ROWS. */
enum { TILE_MIN = 4, TILE_MAX = 16 };

/* Bits of cells in 64: those of a whole number in a double, which some levels of SIMD
 * have. */
enum { BITS_64 = 53 };

/* Bits of sums of differences: simd_affine_ends_t. */
enum { AFFINE_SUM_BITS = 30 };

/* Layouts for known scores must suffice for pairs in which one of KNOWN_DISTANCE
 * bases has no match. */
enum { KNOWN_DISTANCE = 7 };

/* More would leave nothing for h. */
enum { KNOWN_M_MAX = 1 << 20 };

/* Under a matrix they must suffice for pairs in which only one of KNOWN_DISTANCE_ANY
 * bases matches. */
enum { KNOWN_DISTANCE_ANY = 8 };

/* @return the maximum number that divides all values of affine cells */
static int64_t affine_unit(const cell_layout_t *f)
{
    int64_t unit = fraction_divisor(fraction_divisor(f->match, f->mismatch), f->open);

    if (f->rows_free || f->columns_free)
        unit = fraction_divisor(unit, fraction_divisor(f->gap_cost + f->end_gap.open,
                                                       f->gap_cost + f->end_gap.extend));
    return unit > 0 ? unit : 1;
}

/* @return a layout with everything that follows from the spec alone */
static cell_layout_t layout_of(const align_spec_t *spec)
{
    const align_scoring_t *s = &spec->scoring;
    align_range_t column = align_scoring_range(s);
    cell_layout_t f = {.rows_free = !align_end_is_counted(spec, true),
                       .columns_free = !align_end_is_counted(spec, false),
                       .priced = spec->ends == ENDS_PRICED,
                       .affine = align_is_affine(spec),
                       .identity = align_has_identity(spec),
                       .unit = 1,
                       .gap_cost = -(int64_t)s->gap,
                       .open = (int64_t)s->gap - s->gap_open};

    if (f.priced)
        f.end_gap = spec->end_gap;
    if (s->two_valued)
        column = (align_range_t){s->mismatch, s->match};
    f.match_score = column.max;
    f.match = column.max + 2 * f.gap_cost;
    f.mismatch = column.min + 2 * f.gap_cost;
    if (s->two_valued && f.affine)
        f.unit = affine_unit(&f);
    else if (s->two_valued && !f.columns_free && f.match > 0 && f.mismatch > 0)
        f.unit = fraction_divisor(f.match, f.mismatch);
    f.match /= f.unit;
    f.mismatch /= f.unit;
    f.open /= f.unit;
    return f;
}

/* @return h of an affine cell k bases along a border, without the bias */
static int64_t affine_border(const cell_layout_t *f, bool is_free, int64_t k)
{
    if (!is_free)
        return k > 0 ? -f->open : 0;
    return (k * f->gap_cost + align_gap_score(f->end_gap, k)) / f->unit;
}

/* @return h, with the bias, for affine cells that are beside a band: a step from there is
 *         not negative */
static int64_t no_path(const cell_layout_t *f)
{
    return f->open + (f->mismatch < 0 ? -f->mismatch : 0);
}

/* Choose the bias of affine cells for pairs of at most m and n bases.  Every cell in a
 * band can be reached from a border by diagonal steps; those computed beside it, by one
 * gap more.  They and their E and F must exceed a step from no_path. */
static void set_bias(cell_layout_t *f, int64_t m, int64_t n)
{
    int64_t longer = m > n ? m : n, shorter = m < n ? m : n, lowest = -f->open;

    if (!f->affine)
        return;
    for (int is_last = 0; f->priced && is_last < 2; is_last++) {
        int64_t h = affine_border(f, true, is_last ? longer : 1);

        lowest = h < lowest ? h : lowest;
    }
    f->bias = no_path(f) + (f->match > 0 ? f->match : 0) + 3 * f->open - lowest + 1;
    if (f->mismatch < 0)
        f->bias -= f->mismatch * (shorter + 1);
}

/* @return the maximum of h in pairs of at most m and n bases, and one step more */
static int64_t max_h(const cell_layout_t *f, int64_t m, int64_t n)
{
    int64_t shorter = (m < n ? m : n) + 1;
    int64_t step = f->match > 0 ? f->match : 0;
    int64_t score = f->match_score > 0 ? f->match_score : 0;
    int64_t gain = (f->gap_cost + f->end_gap.extend) / f->unit; /* along a border */

    if (f->columns_free && f->affine)
        return f->bias + (step > gain ? step : gain) * shorter +
               (gain > 0 ? gain : 0) * (m > n ? m - n : n - m);
    if (f->columns_free)
        return score * shorter + f->gap_cost * (m + n + 2);
    return step * shorter + f->bias;
}

/* @return one of h in a lane */
static int64_t h_unit(const cell_layout_t *f)
{
    return f->tie == TIE_KNOWN ? f->known_h : INT64_C(1) << f->h_shift;
}

static void set_steps(cell_layout_t *f)
{
    f->step_match = cell_layout_step(f, f->match * f->unit - 2 * f->gap_cost, true);
    f->step_mismatch =
        cell_layout_step(f, f->mismatch * f->unit - 2 * f->gap_cost, false);
    for (int is_match = 0; is_match < 2; is_match++)
        f->step_neutral[is_match] = cell_layout_step(f, 0, is_match);
    f->step_open = f->open * h_unit(f);
    f->no_path = no_path(f) * h_unit(f);
}

/* @return rows and columns of the largest tiles whose affine cells 8 bits hold, and a
 *         guard's rewards: simd_tile_affine_body.h; or 0 */
static int32_t tile_of(const cell_layout_t *f)
{
    int64_t low = 2 * f->open + (f->mismatch < 0 ? -f->mismatch : 0);

    for (int32_t tile = TILE_MAX; tile >= TILE_MIN; tile /= 2)
        if (low + 2 * f->open + (tile + 1) * (f->match + 1) <= UINT8_MAX)
            return tile;
    return 0;
}

/* @return whether 8 bits hold the differences of cells (simd_diff_body.h) or affine cells
 *         of tiles */
static bool fits_8(const cell_layout_t *f)
{
    bool fits = f->mismatch <= f->match;

    if (!f->affine)
        return fits && f->match <= UINT8_MAX &&
               (!f->columns_free || f->gap_cost <= f->match);
    for (int k = 1; k <= 2 && (f->rows_free || f->columns_free); k++) {
        int64_t gain = affine_border(f, true, k) - affine_border(f, true, k - 1);

        fits = fits && gain >= (k == 1 ? -f->open : 0) && gain <= f->match;
    }
    return fits && f->match >= 0 && tile_of(f) > 0;
}

static void set_tile(cell_layout_t *f)
{
    f->bias = 0;
    f->tile = f->affine ? tile_of(f) : 0;
}

static bool choose_for_scores(const align_spec_t *spec, int64_t m, int64_t n,
                              cell_layout_t *out)
{
    cell_layout_t f = layout_of(spec);
    int bits, bits_8 = f.affine ? AFFINE_SUM_BITS : BITS_64;

    set_bias(&f, m, n);
    bits = nw_key_bits(max_h(&f, m, n));
    if (bits > BITS_64)
        return false;
    if (spec->scoring.two_valued)
        f.sweep = fits_8(&f) && bits <= bits_8 ? SWEEP_8
                  : bits <= 16                 ? SWEEP_16
                  : bits <= 32                 ? SWEEP_32
                                               : SWEEP_64;
    else if (spec->scoring.neutral && f.affine && fits_8(&f) && bits <= bits_8)
        f.sweep = SWEEP_8;
    else
        f.sweep = bits <= 31 ? SWEEP_32_TABLE : SWEEP_64_TABLE;
    if (f.sweep == SWEEP_8)
        set_tile(&f);
    set_steps(&f);
    *out = f;
    return true;
}

bool cell_layout_choose_profile(const align_spec_t *spec, int64_t m, int64_t n,
                                cell_layout_t *out)
{
    align_spec_t score = *spec;
    cell_layout_t f;

    score.emit = EMIT_SCORE;
    f = layout_of(&score);
    if (spec->ends == ENDS_LOCAL || !f.affine)
        return false;
    set_bias(&f, m, n);
    if (!fits_8(&f) || nw_key_bits(max_h(&f, m, n)) > AFFINE_SUM_BITS)
        return false;
    f.sweep = SWEEP_8_PROFILE;
    set_tile(&f);
    set_steps(&f);
    *out = f;
    return true;
}

static bool choose_32(const align_spec_t *spec, int64_t m, int64_t n, bool exact,
                      cell_layout_t *out)
{
    cell_layout_t f = layout_of(spec);
    int h_bits = nw_key_bits(max_h(&f, m, n));
    int m_bits = nw_key_bits((m < n ? m : n) + 1);
    int left = 32 - h_bits - m_bits;

    if (f.affine || !spec->scoring.two_valued || f.match <= 0 || f.mismatch == 0 ||
        left < 0)
        return false;
    if (f.columns_free && f.mismatch > 0 && f.mismatch != f.gap_cost) {
        f.tie = f.mismatch > f.gap_cost ? TIE_FROM_LOW : TIE_FROM_HIGH;
        f.quantum = f.mismatch / fraction_divisor(f.mismatch, f.gap_cost);
        f.tie_max = (INT64_C(1) << left) - 1;
        if (left == 0 || (exact && (m > n ? m : n) / f.quantum >= f.tie_max))
            return false;
    } else {
        left = 0;
    }
    f.sweep = SWEEP_32;
    f.m_shift = left;
    f.h_shift = left + m_bits;
    set_steps(&f);
    *out = f;
    return true;
}

static bool choose_64(const align_spec_t *spec, int64_t m, int64_t n, cell_layout_t *out)
{
    cell_layout_t f = layout_of(spec);

    set_bias(&f, m, n);
    f.m_shift = nw_key_bits(m + n + 2);
    f.h_shift = f.m_shift + nw_key_bits((m < n ? m : n) + 1);
    f.tie = TIE_STEPS;
    f.sweep = spec->scoring.two_valued ? SWEEP_64 : SWEEP_64_TABLE;
    if (f.h_shift + nw_key_bits(max_h(&f, m, n)) > BITS_64)
        return false;
    set_steps(&f);
    *out = f;
    return true;
}

/* @return L of TIE_KNOWN for an alignment that ends in cell (i, j) */
static int64_t known_reach(const cell_layout_t *f, int64_t i, int64_t j)
{
    int64_t shorter = i < j ? i : j, longer = i > j ? i : j;

    return f->rows_free || f->columns_free ? longer : shorter;
}

/* @return the matches that proof 1 of TIE_KNOWN needs in a whole matrix */
static int64_t needed_for_tie(const cell_layout_t *f, int64_t i, int64_t j)
{
    return known_reach(f, i, j) + 2 - f->known_m;
}

/* The same for proof 2. */
static int64_t needed_for_h(const cell_layout_t *f, int64_t i, int64_t j)
{
    return (i < j ? i : j) + 1 - (f->known_h - known_reach(f, i, j)) / f->known_m;
}

/* Divide 32 bits between h, M and T of pairs of at most m and n bases.
 * @return whether h is given enough */
static bool divide_known(cell_layout_t *f, int64_t known_m, int64_t m, int64_t n)
{
    int64_t shorter = m < n ? m : n, longer = m > n ? m : n;

    f->known_m = known_m;
    f->known_h = (UINT32_MAX - shorter * known_m - longer) / max_h(f, m, n);
    return f->known_h >= longer && needed_for_h(f, m, n) <= needed_for_tie(f, m, n);
}

bool cell_layout_choose_known(const align_spec_t *spec, int64_t m, int64_t n,
                              cell_layout_t *out)
{
    cell_layout_t f = layout_of(spec);
    int64_t shorter = m < n ? m : n, low = 1, high = KNOWN_M_MAX;
    bool is_similar; /* genes are; under other matrices sequences may be unlike */

    if (!f.affine || !f.identity || f.match <= 0)
        return false;
    is_similar = spec->scoring.two_valued || spec->scoring.neutral;
    set_bias(&f, m, n);
    f.tie = TIE_KNOWN;
    f.sweep = spec->scoring.two_valued ? SWEEP_32
              : spec->scoring.neutral  ? SWEEP_32_NEUTRAL
                                       : SWEEP_32_TABLE;
    while (high - low > 1) { /* the more for M, the less is left for h */
        int64_t middle = (low + high) / 2;

        if (divide_known(&f, middle, m, n))
            low = middle;
        else
            high = middle;
    }
    if (!divide_known(&f, low, m, n) ||
        needed_for_tie(&f, m, n) > (is_similar ? shorter - shorter / KNOWN_DISTANCE
                                               : shorter / KNOWN_DISTANCE_ANY))
        return false;
    set_steps(&f);
    *out = f;
    return true;
}

bool cell_layout_choose(const align_spec_t *spec, int64_t m, int64_t n, bool exact,
                        cell_layout_t *out)
{
    if (spec->emit == EMIT_SCORE)
        return choose_for_scores(spec, m, n, out);
    return choose_32(spec, m, n, exact, out) || choose_64(spec, m, n, out);
}

bool cell_layout_choose_bits(const align_spec_t *spec, cell_layout_t *out)
{
    cell_layout_t f = layout_of(spec);

    if (!spec->scoring.two_valued || spec->emit != EMIT_SCORE || f.affine ||
        f.columns_free || f.mismatch <= 0 || f.match != 2 * f.mismatch)
        return false;
    f.sweep = SWEEP_BITS;
    *out = f;
    return true;
}

bool cell_layout_choose_first(const align_spec_t *spec, int64_t len, cell_layout_t *out)
{
    align_spec_t score = *spec;

    score.emit = EMIT_SCORE;
    if (!align_has_identity(spec) || !choose_for_scores(&score, len, len, out) ||
        out->sweep != SWEEP_8)
        return false;
    return out->affine || (spec->ends == ENDS_FREE && out->match <= GUARDED_STEP_MAX);
}

int64_t cell_layout_step(const cell_layout_t *f, int64_t score, bool is_match)
{
    int64_t h = (score + 2 * f->gap_cost) / f->unit;

    if (score + 2 * f->gap_cost < 0 && !f->affine)
        return 0;
    if (!f->identity)
        return h;
    if (f->tie == TIE_KNOWN)
        return h * f->known_h + (is_match ? f->known_m : 1);
    return h * (INT64_C(1) << f->h_shift) + (is_match ? INT64_C(1) << f->m_shift : 0) +
           (f->tie == TIE_STEPS);
}

int64_t cell_layout_border(const cell_layout_t *f, bool is_free, int64_t k)
{
    int64_t tie = 0, h;

    if (f->affine)
        h = f->bias + affine_border(f, is_free, k);
    else
        h = is_free ? k * f->gap_cost : 0;
    if (!is_free)
        k = 0;
    if (f->tie == TIE_STEPS || f->tie == TIE_KNOWN)
        tie = k;
    else if (f->columns_free && f->tie != TIE_NONE)
        tie = k / f->quantum < f->tie_max ? k / f->quantum : f->tie_max;
    if (f->tie == TIE_FROM_HIGH)
        tie = f->tie_max - tie;
    return h * h_unit(f) + tie;
}

/* @return s + X, given B X + c s = rest */
static int64_t start_plus_mismatches(const cell_layout_t *f, int64_t rest, int64_t low,
                                     bool *doubtful)
{
    int64_t k = f->tie == TIE_FROM_HIGH ? f->tie_max - low : low;

    *doubtful = false;
    if (f->mismatch < 0) /* X = 0: two gaps are better than a mismatch */
        return rest / f->gap_cost;
    if (!f->columns_free || f->tie == TIE_NONE)
        return rest / f->mismatch; /* s = 0, or c = B */
    *doubtful = k == f->tie_max;
    for (int64_t s = k * f->quantum; s < (k + 1) * f->quantum && !*doubtful; s++)
        if ((rest - f->gap_cost * s) % f->mismatch == 0)
            return s + (rest - f->gap_cost * s) / f->mismatch;
    return 0;
}

/* @return the end with the known score; score INT64_MIN: this cell does not attain it */
static cell_end_t read_known(const cell_layout_t *f, int64_t cell, int64_t i, int64_t j,
                             int64_t behind, int64_t score)
{
    cell_end_t e = {.score = INT64_MIN};
    int64_t rest = cell_layout_known_rest(f, cell, i, j, behind, score);

    if (rest < 0 ||
        (score - align_gap_score(f->end_gap, behind) + f->gap_cost * (i + j)) % f->unit !=
            0)
        return e;
    e.i = i;
    e.j = j;
    e.score = score;
    e.matches = rest / f->known_m;
    e.columns = i + j - e.matches - rest % f->known_m;
    e.doubtful = e.matches < needed_for_h(f, i, j) || e.matches < needed_for_tie(f, i, j);
    return e;
}

static cell_end_t read_cell(const cell_layout_t *f, int64_t cell, int64_t i, int64_t j,
                            int64_t behind)
{
    cell_end_t e = {.h = (cell >> f->h_shift) - f->bias,
                    .score = cell_layout_score(f, cell, i, j, behind),
                    .i = i,
                    .j = j};
    int64_t low = cell & ((INT64_C(1) << f->m_shift) - 1);

    if (!f->identity)
        return e;
    e.matches = (cell >> f->m_shift) & ((INT64_C(1) << (f->h_shift - f->m_shift)) - 1);
    if (f->tie == TIE_STEPS)
        e.columns = i + j - low;
    else
        e.columns =
            i + j - e.matches -
            start_plus_mismatches(f, e.h - f->match * e.matches, low, &e.doubtful);
    return e;
}

static bool is_further_on(const cell_end_t *x, const cell_end_t *y)
{
    return x->i > y->i || (x->i == y->i && x->j > y->j);
}

void cell_layout_offer(const cell_layout_t *f, int64_t cell, int64_t i, int64_t j,
                       int64_t behind, cell_end_t *best)
{
    cell_end_t e = f->tie == TIE_KNOWN ? read_known(f, cell, i, j, behind, best->score)
                                       : read_cell(f, cell, i, j, behind);

    if (e.score < best->score)
        return;
    if (e.score > best->score || e.matches > best->matches) {
        *best = e;
    } else if (e.matches == best->matches) {
        bool doubtful = e.doubtful || best->doubtful;

        if (e.columns < best->columns ||
            (e.columns == best->columns && is_further_on(&e, best)))
            *best = e;
        best->doubtful = doubtful;
    }
}

bool cell_layout_certifies(const cell_layout_t *f, const cell_end_t *end, int64_t m,
                           int64_t w)
{
    int64_t d = m - w - 1;

    if (d < 0)
        return true;
    if (f->columns_free)
        return f->identity ? end->score > d * f->match_score
                           : end->score >= d * f->match_score;
    if (!f->identity || end->h != d * f->match)
        return end->h >= d * f->match;
    return f->tie == TIE_STEPS ? end->matches > d : end->matches >= d;
}

bool cell_layout_holds_all(const cell_layout_t *f, const cell_end_t *end, int64_t m,
                           int64_t w)
{
    int64_t d = m - w - 1;

    return d < 0 ||
           (f->columns_free ? end->score > d * f->match_score : end->h > d * f->match);
}
