/*
 * test_sscan_sweep.cu - the cells, pads and bands of sscan_sweep.cuh, swept on the CPU as
 * a thread of a GPU does it, against the reference.  It needs no GPU.
 */
#include "kernels/align/sliced/sscan_sweep.cuh"

extern "C" {
#include "io/base/rng.h"
#include "kernels/align/common/nw_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
}

#include <algorithm>
#include <vector>

namespace
{

constexpr int N_CASES = 120, LEN_MAX = 230;
constexpr int PLACE = (LEN_MAX / CUDA_SET_ALIGN + 3) * CUDA_SET_ALIGN;

/* A sequence as a cuda_set_t has it: it ends aligned, and zeros stand in front of it. */
struct sequence_t {
    int len;
    uint8_t codes[LEN_MAX];
    alignas(CUDA_SET_ALIGN) unsigned char letters[PLACE];
};

/* 32 pairs. */
struct case_t {
    align_spec_t spec;
    sscan_score_t score_of;
    sequence_t rows[SSCAN_PAIRS], columns[SSCAN_PAIRS];
};

int below(rng_t *rng, int n)
{
    return static_cast<int>(rng_below(rng, static_cast<uint64_t>(n)));
}

int between(rng_t *rng, int low, int high)
{
    return low + below(rng, high - low + 1);
}

uint8_t draw_letter(rng_t *rng, bool codes)
{
    return static_cast<uint8_t>(codes && below(rng, 4) == 0 ? between(rng, 1, CODE_N)
                                                            : 1 << below(rng, 4));
}

/* @param like    the sequence that it is a copy of, with changes; NULL: none
 * @param change  one in `change` letters is changed */
void draw_sequence(rng_t *rng, sequence_t *s, const sequence_t *like, int change,
                   int longest, bool codes)
{
    int from = 0;

    s->len = 0;
    if (like == nullptr) {
        s->len = between(rng, 1, longest);
        for (int i = 0; i < s->len; i++)
            s->codes[i] = draw_letter(rng, codes);
        return;
    }
    while (from < like->len && s->len < LEN_MAX) {
        const int what = below(rng, 3 * change);

        if (what == 0)
            from += between(rng, 1, 9);
        else if (what == 1)
            for (int k = between(rng, 1, 9); k > 0 && s->len < LEN_MAX; k--)
                s->codes[s->len++] = draw_letter(rng, codes);
        else
            s->codes[s->len++] = what == 2 || from >= like->len ? draw_letter(rng, codes)
                                                                : like->codes[from++];
    }
    if (s->len == 0)
        s->codes[s->len++] = draw_letter(rng, codes);
}

const unsigned char *place(const align_scoring_t *scoring, sequence_t *s)
{
    memset(s->letters, 0, PLACE);
    for (int i = 0; i < s->len; i++)
        s->letters[PLACE - s->len + i] = scoring->set_of[s->codes[i]];
    return s->letters + PLACE;
}

void draw_case(rng_t *rng, case_t *c, bool codes, bool neutral)
{
    /* long and short pairs together have many pads */
    const int shortest = below(rng, 3), change = between(rng, 2, 40);
    const int unit = 2 * between(rng, 1, 3), cost = between(rng, 1, unit / 2);
    const align_ambiguity_t two_valued =
        static_cast<align_ambiguity_t>(below(rng, AMBIGUITY_MISMATCH + 1));

    c->spec = align_spec_t{};
    c->spec.emit = EMIT_SCORE;
    c->spec.ends = ENDS_COUNT;
    align_scoring_set(&c->spec.scoring, neutral ? AMBIGUITY_NEUTRAL : two_valued,
                      unit - 2 * cost, -2 * cost, -cost);
    align_scoring_set_gap(&c->spec.scoring,
                          align_gap_t{-cost - SSCAN_OPEN * unit, -cost});
    assert_true(sscan_score(&c->spec, &c->score_of));
    assert_int_equal(c->score_of.unit, unit);
    assert_int_equal(c->score_of.cost, cost);
    for (int p = 0; p < SSCAN_PAIRS; p++) {
        const int longest = shortest == 0 ? LEN_MAX : shortest == 1 ? 30 : LEN_MAX / 2;
        sequence_t *a = &c->rows[p], *b = &c->columns[p];

        if (below(rng, 2) == 0)
            std::swap(a, b);
        draw_sequence(rng, a, nullptr, 0, longest, codes);
        draw_sequence(rng, b, below(rng, 5) == 0 ? nullptr : a, change, longest, codes);
    }
}

/* @param w  of the bands; < 0: none */
template <int PLANES>
void sweep_case(case_t *c, int w, int extra_rows, int extra_columns, int *units)
{
    sscan_memory_t<PLANES> m = {};
    sscan_lane_pair_t lane_pairs[SSCAN_PAIRS];
    sscan_letters_t<PLANES> letters[SSCAN_ROWS];
    unsigned pads[SSCAN_ROWS + 1];
    sscan_size_t size = {};

    for (int p = 0; p < SSCAN_PAIRS; p++)
        lane_pairs[p] = sscan_lane_pair_t{{place(&c->spec.scoring, &c->rows[p]),
                                           place(&c->spec.scoring, &c->columns[p])},
                                          {c->rows[p].len, c->columns[p].len},
                                          0};
    m.lane_pairs = lane_pairs;
    m.letters = letters;
    m.pads = pads;
    m.stride = 1;
    m.codes_match = c->spec.scoring.two_valued;
    for (int p = 0; p < SSCAN_PAIRS; p++)
        sscan_include_size(&size, lane_pairs[p]);
    size.n[SSCAN_OF_ROWS] += extra_rows * SSCAN_ROWS;
    size.n[SSCAN_OF_COLUMNS] += extra_columns * SSCAN_LETTERS;
    for (int p = 0; p < SSCAN_PAIRS; p++)
        sscan_include_band(&size, lane_pairs[p], w);
    std::vector<unsigned> line(static_cast<size_t>(size.n[SSCAN_OF_COLUMNS] + 1) *
                               SSCAN_LINE_WORDS);

    const sscan_team_t alone = {0, 1, nullptr};
    sscan_height_t height = {};

    m.line = line.data();
    sscan_fill_columns<PLANES>(m, alone, size);
    sscan_sweep<PLANES>(m, alone, size, &height);
    sscan_units(height, units);
}

int64_t reference(const case_t *c, int p)
{
    static nw_values_t row[LEN_MAX + 1];

    return nw_reference_pair(&c->spec, c->rows[p].codes, c->rows[p].len,
                             c->columns[p].codes, c->columns[p].len, row)
        .score;
}

template <int PLANES> void compare(rng_t *rng, bool codes, bool neutral)
{
    static case_t c;
    score_band_t band;
    int n_proved = 0;

    for (int k = 0; k < N_CASES; k++) {
        const int w = k % 3 == 0 ? -1 : below(rng, 40);
        int units[SSCAN_PAIRS];

        draw_case(rng, &c, codes, neutral);
        assert_true(score_band_applies(&c.spec, &band));
        sweep_case<PLANES>(&c, w, below(rng, 2), below(rng, 4), units);
        for (int p = 0; p < SSCAN_PAIRS; p++) {
            const int m = c.rows[p].len, n = c.columns[p].len;
            const int64_t want = reference(&c, p),
                          got = sscan_score_of(c.score_of, units[p], m, n);
            const bool proved =
                !(neutral && codes) && (w < 0 || w >= std::min(m, n) ||
                                        score_band_outside(&band, m, n, w) < want);

            n_proved += w >= 0 && proved;
            if (proved ? got != want : got > want)
                fail_msg("pair of %d and %d letters, w = %d: %lld, not %lld", m, n, w,
                         static_cast<long long>(got), static_cast<long long>(want));
        }
    }
    assert_true((neutral && codes) || n_proved > N_CASES);
}

void bases_have_the_reference_scores(void **)
{
    rng_t rng = rng_seed(1);

    compare<SSCAN_PLAIN>(&rng, false, false);
}

void codes_have_the_reference_scores(void **)
{
    rng_t rng = rng_seed(2);

    compare<SSCAN_CODES>(&rng, true, false);
    compare<SSCAN_CODES>(&rng, false, false);
}

/* Where columns of codes score 0, scores are those of columns that match nothing. */
void codes_that_score_0_have_lower_bounds(void **)
{
    rng_t rng = rng_seed(3);

    compare<SSCAN_CODES>(&rng, true, true);
    compare<SSCAN_CODES>(&rng, false, true);
}

/* Scorings that are not of the form. */
void scores_of_another_form_are_refused(void **)
{
    const struct {
        int match, mismatch, open, extend;
        bool is_taken;
    } cases[] = {{2, -4, -20, -2, true},  {2, -4, -19, -2, false},
                 {2, -3, -20, -2, false}, {5, -4, -10, -1, false},
                 {2, -4, -2, -2, false},  {1, -2, -10, -1, true},
                 {-4, -4, -2, -2, false}};

    for (const auto &k : cases) {
        align_spec_t spec = {};
        sscan_score_t score;

        spec.ends = ENDS_COUNT;
        align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, k.match, k.mismatch, k.extend);
        align_scoring_set_gap(&spec.scoring, align_gap_t{k.open, k.extend});
        assert_int_equal(sscan_score(&spec, &score), k.is_taken);
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_have_the_reference_scores),
        cmocka_unit_test(codes_have_the_reference_scores),
        cmocka_unit_test(codes_that_score_0_have_lower_bounds),
        cmocka_unit_test(scores_of_another_form_are_refused),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
