/*
 * test_affine_guard.cu - scores in guarded bands (affine_guard.cuh), swept on the CPU as
 * a thread of a GPU does it, against the reference.  It needs no GPU.
 */
#include "kernels/align/affine/affine_guard.cuh"
#include "tests/kernels/align/affine/affine_case.cuh"

extern "C" {
#include "tests/support/random_set.h"
}

namespace
{

constexpr int N_CASES = 2000, N_ENDS = ENDS_PRICED + 1, LINE = 4 * WORDS_MAX;

/* The kind of ascan's plan for pairs of a guarded kernel's kind. */
template <int KIND>
constexpr int PLAN_KIND = KIND == AFFINE_GUARD_CODES ? static_cast<int>(RSCAN_SETS)
                                                     : KIND;

/* @return a random spec of whose steps only matches add to a cell, and codes if they are
 *         neutral */
align_spec_t guarded_spec(rng_t *rng, bool neutral)
{
    align_spec_t spec = draw_spec(rng, 3);
    const int extend = -between(rng, 1, 3), open = extend - below(rng, 4) * below(rng, 9);

    align_scoring_set(&spec.scoring,
                      neutral ? AMBIGUITY_NEUTRAL
                              : static_cast<align_ambiguity_t>(below(rng, 3)),
                      between(rng, 1, 5), 2 * extend, extend);
    align_scoring_set_gap(&spec.scoring, align_gap_t{open, extend});
    if (spec.ends == ENDS_PRICED) {
        spec.end_gap.extend = -below(rng, 1 - extend);
        spec.end_gap.open = spec.end_gap.extend - below(rng, 10);
    }
    return spec;
}

/* Let the target of a pair be the first half of the query twice, the first time with some
 * changes, or the other way round.  Then the best path is far from the band, in which the
 * next best one lies. */
void draw_repeat(rng_t *rng, words_t *w, const align_scoring_t *s, int i)
{
    const pair_t pair = w->pairs[i];
    const int half = (w->len[pair.query] + 1) / 2, changes = between(rng, 8, 40);
    uint8_t *out = w->codes[pair.target];

    for (int k = 0; k < half; k++) {
        const uint8_t code = w->codes[pair.query][k];

        out[half + k] = code;
        out[k] =
            below(rng, changes) == 0 ? static_cast<uint8_t>(1 << below(rng, 4)) : code;
    }
    w->len[pair.target] = 2 * half - below(rng, 2);
    place_sequence(w, s, pair.target);
    if (below(rng, 2) == 0)
        w->pairs[i] = pair_t{pair.target, pair.query};
}

/* @return false: the spec has no guarded bands */
bool start_launch(const align_spec_t *spec, words_t *w, bands_t *bands, int kind,
                  affine_launch_t *p)
{
    affine_layout_t layout;
    score_band_t score_band;

    if (!score_band_applies(spec, &score_band) ||
        !affine_layout(kind, spec, WORDS_MAX, &layout))
        return false;
    *p = case_launch(kind, layout, spec, w,
                     kind == RSCAN_SETS64 || kind == RSCAN_KEY ||
                         kind == AFFINE_TABLE_KEY);
    p->score_band = score_band;
    set_bands(p, bands);
    return true;
}

template <int KIND>
affine_pairs_t pairs_of(rng_t *rng, const affine_launch_t &p, int first, int rows)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    affine_pairs_t pairs = {pack_pairs<KIND, false>(p.rounds, first, PAIRS, 0, rows,
                                                    rows_choice(p.rounds)),
                            0, 0};

    affine_pad<PAIRS>(&pairs, pairs.packed.n_rows + below(rng, 3) * rows,
                      pairs.packed.n_columns + below(rng, 3) * QUAD);
    return pairs;
}

/* Score the pairs of a thread. */
template <int KIND> void score_guarded(rng_t *rng, const affine_launch_t &p)
{
    static guard_line_t line[LINE], left[LINE], right[LINE];
    static unsigned masks[FLANK_MASKS];
    affine_table_t<KIND> table = {};
    affine_pairs_t pairs = pairs_of<KIND>(rng, p, 0, GUARD_ROWS);
    guard_thread_t<KIND> s;
    guard_t g = {};

    memset(line, 0xaa, sizeof(line));
    memset(left, 0xaa, sizeof(left));
    memset(right, 0xaa, sizeof(right));
    memset(masks, 0xaa, sizeof(masks));
    affine_fill_table<KIND>(p, table.at, 0, 1);
    guard_fill_masks<KIND>(p, masks);
    guard_choose_columns<KIND>(p, &pairs.packed, &g);
    guard_sweep<KIND>(p, table.at, pairs, {masks, line, left, right, 1}, &g, s);
    guard_store<KIND>(p, pairs.packed, g, s.best, 2);
}

/* Align a pair in its band. */
template <int KIND> void align_banded(rng_t *rng, const affine_launch_t &p, int i)
{
    constexpr int ROWS = affine_tuning_t<KIND>::ROWS;
    static affine_line_t<typename affine_kind_t<KIND>::word> line[LINE];
    affine_table_t<KIND> table = {};
    affine_pairs_t pairs = pairs_of<KIND>(rng, p, i, ROWS);
    affine_thread_t<KIND, ROWS> s;

    affine_set_band<1, ROWS>(p.rounds, &pairs.packed);
    affine_fill_table<KIND>(p, table.at, 0, 1);
    affine_sweep<KIND, ROWS, true, true>(p, table.at, pairs, s, line, 1);
    affine_store<KIND, ROWS>(p, pairs.packed, s, 1);
}

/* Scores are right unless they are listed, and then not too low, or the bounds that were
 * given. */
template <int KIND>
void guard_case(rng_t *rng, int longest, int n_proved[], int n_listed[], int *n_banded)
{
    static words_t w;
    const align_spec_t spec = guarded_spec(rng, KIND == AFFINE_GUARD_CODES);
    bands_t bands = {};
    affine_launch_t p = {};
    int bound[2];

    draw_words(rng, &w, &spec.scoring, PLAN_KIND<KIND> == RSCAN_SETS, longest);
    for (int i = 0; i < 2; i++)
        if (below(rng, 4) == 0)
            draw_repeat(rng, &w, &spec.scoring, i);
    if (!start_launch(&spec, &w, &bands,
                      affine_guard_kind(PLAN_KIND<KIND>, &spec.scoring), &p))
        return;
    for (short &width : bands.w)
        width = static_cast<short>(below(rng, 8) * below(rng, 8) *
                                   band_choice_times(below(rng, BAND_CHOICE_WIDTHS)));
    const bool has_bounds = below(rng, 2) == 0;

    p.rounds.variant.bands = has_bounds ? RSCAN_BANDS_FIRST_OR_SCORES : RSCAN_BANDS_FIRST;
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        bound[i] = w.score[i] = score_of(&spec, w, i) - below(rng, 300) * below(rng, 3);
    score_guarded<KIND>(rng, p);
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
        const bool listed = is_listed(bands, i);

        if (!listed)
            assert_pair(&spec, &w, i, false);
        else if (has_bounds)
            assert_int_equal(w.score[i], bound[i]);
        else if (!(w.score[i] >= score_of(&spec, w, i) || w.score[i] < 0))
            fail_msg("%d/%d/%d/%d ends %s %d/%d, %d and %d bases, listed %d: %d, not %d",
                     spec.scoring.match, spec.scoring.mismatch, spec.scoring.gap_open,
                     spec.scoring.gap, align_ends_name[spec.ends], spec.end_gap.open,
                     spec.end_gap.extend, w.len[w.pairs[i].query],
                     w.len[w.pairs[i].target], listed, w.score[i], score_of(&spec, w, i));
        assert_true(!listed || bands.w[i] < 0 || has_bounds);
        n_proved[spec.ends] += !listed;
        n_listed[spec.ends] += listed;
    }
    /* the proved band has the canonical alignment, too */
    if (bands.w[0] < 0)
        return;
    if (start_launch(&spec, &w, &bands, RSCAN_SETS64, &p)) {
        align_banded<RSCAN_SETS64>(rng, p, 0);
        assert_pair(&spec, &w, 0, true);
    }
    if (KIND == AFFINE_GUARD_CODES &&
        start_launch(&spec, &w, &bands, AFFINE_TABLE_KEY, &p)) {
        align_banded<AFFINE_TABLE_KEY>(rng, p, 0);
        assert_pair(&spec, &w, 0, true);
        ++*n_banded;
    }
    if (KIND == RSCAN_SCORE2 && start_launch(&spec, &w, &bands, RSCAN_KEY, &p)) {
        align_banded<RSCAN_KEY>(rng, p, 0);
        if (bands.n_doubtful > 0)
            return;
        assert_pair(&spec, &w, 0, true);
        ++*n_banded;
    }
}

template <int KIND> void guard_cases()
{
    int n_proved[N_ENDS] = {}, n_listed[N_ENDS] = {}, n_banded = 0;
    const int n_cases = random_set_count(N_CASES);
    rng_t rng = rng_seed(40);

    for (int i = 0; i < n_cases; i++) {
        guard_case<KIND>(&rng, SHORT_MAX, n_proved, n_listed, &n_banded);
        guard_case<KIND>(&rng, WORDS_MAX, n_proved, n_listed, &n_banded);
    }
    for (int ends = 0; ends < N_ENDS; ends++) {
        assert_true(n_proved[ends] > n_cases / N_ENDS / 4);
        assert_true(n_listed[ends] > n_cases / N_ENDS / 20);
    }
    assert_true(KIND == RSCAN_SETS || n_banded > n_cases / 20);
}

void scores_of_two_packed_pairs_are_right_or_listed(void **)
{
    guard_cases<RSCAN_SCORE2>();
}

void scores_of_sets_are_right_or_listed(void **)
{
    guard_cases<RSCAN_SETS>();
}

void scores_of_two_packed_pairs_with_neutral_codes_are_right_or_listed(void **)
{
    guard_cases<AFFINE_GUARD_CODES>();
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_two_packed_pairs_are_right_or_listed),
        cmocka_unit_test(scores_of_sets_are_right_or_listed),
        cmocka_unit_test(
            scores_of_two_packed_pairs_with_neutral_codes_are_right_or_listed),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
