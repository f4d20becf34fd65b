/*
 * test_rscan_plan.cu - what a round does with a pair, and which rounds there cannot be.
 * It needs no GPU.
 */
#include "kernels/align/rscan/rscan_plan.cuh"

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
}

namespace
{

/* Two pairs of 1,500 x 1,500 and 1,500 x 1,520 bases, of which the first is banded. */
struct case_t {
    int len[2] = {1500, 1520};
    unsigned char has_ambiguity[2] = {0, 0};
    pair_t pairs[2] = {{0, 0}, {0, 1}};
    unsigned char banded[2] = {1, 0};
    short band_w[2] = {7, -1};
    int edits[2] = {10, 30}, score[2] = {5900, 5500};
    rscan_band_t bound_band[2] = {{3, 4}, {20, 0}};
    rscan_launch_t launch = {};
    rscan_plan_args_t args = {};

    case_t(rscan_round_t round, rscan_bands_t bands)
    {
        launch.set.len = len;
        launch.set.has_ambiguity = has_ambiguity;
        launch.pairs = pairs;
        launch.banded = banded;
        launch.band_w = band_w;
        launch.edits = edits;
        launch.score = score;
        launch.bound_band = bound_band;
        launch.variant.round = round;
        launch.variant.bands = bands;
        launch.variant.bound_w = bands == RSCAN_BANDS_GUARDED ? 64 : 0;
        launch.variant.identity = round != RSCAN_ROUND_BOUND;
        for (int &max_len : args.max_len)
            max_len = 4000;
        args.costs = edit_costs_t{9, 18};
        args.match_score = 4;
        args.score_band = score_band_t{4, {11, 11}, {7, 7}, 64};
        args.max_len[RSCAN_KEY_TIES] = 0;
    }

    rscan_planned_t plan(unsigned at) const
    {
        const pair_t pair = pairs[at];

        return rscan_plan_pair(launch, args, at, len[pair.query], len[pair.target]);
    }
};

void the_round_of_bounds_takes_pairs_with_a_guarded_band(void **)
{
    case_t c(RSCAN_ROUND_BOUND, RSCAN_BANDS_GUARDED);

    c.launch.variant.only_banded = true;
    assert_true(rscan_variant_is_valid(c.launch));
    assert_int_equal(c.plan(0).kind, RSCAN_SCORE2);
    assert_int_equal(c.plan(1).kind, RSCAN_KINDS);
    assert_false(c.plan(0).counts); /* the choice has counted it */
}

/* 5,900 + 2 * 3,000 = 11,900, and 5,500 + 2 * 3,020 = 11,540. */
void unlike_sequences_have_more_bits_for_ties(void **)
{
    case_t c(RSCAN_ROUND_FIRST, RSCAN_BANDS_SCORES);

    c.args.max_len[RSCAN_KEY_TIES] = 1520;
    c.args.ties_cost = 2;
    c.args.ties_score = 11800;
    assert_int_equal(c.plan(0).kind, RSCAN_KEY);
    assert_int_equal(c.plan(1).kind, RSCAN_KEY_TIES);
    c.args.max_len[RSCAN_KEY_TIES] = 1519;
    assert_int_equal(c.plan(1).kind, RSCAN_KEY);
}

void the_first_round_takes_pairs_without_a_guarded_band_too(void **)
{
    const case_t c(RSCAN_ROUND_FIRST, RSCAN_BANDS_GUARDED);

    assert_true(rscan_variant_is_valid(c.launch));
    assert_int_equal(c.plan(0).kind, RSCAN_KEY);
    assert_int_equal(c.plan(1).kind, RSCAN_KEY);
    assert_true(c.plan(0).w >= 0);
    assert_true(c.plan(1).w < 0);
}

void pairs_whose_two_sequences_have_codes_are_sets(void **)
{
    case_t c(RSCAN_ROUND_FIRST, RSCAN_BANDS_NONE);

    c.has_ambiguity[1] = 1;
    assert_int_equal(c.plan(1).kind, RSCAN_KEY); /* the other one is the rows */
    c.has_ambiguity[0] = 1;
    assert_int_equal(c.plan(1).kind, RSCAN_SETS);
    c.launch.variant.exact = true;
    assert_int_equal(c.plan(1).kind, RSCAN_SETS64);
}

void guessed_and_known_bands_have_a_width(void **)
{
    const case_t guessed(RSCAN_ROUND_FIRST, RSCAN_BANDS_GUESSED);
    const case_t known(RSCAN_ROUND_BOUND, RSCAN_BANDS_KNOWN);
    const case_t windows(RSCAN_ROUND_WINDOW, RSCAN_BANDS_WINDOWS);

    assert_true(guessed.plan(0).counts && guessed.plan(0).w >= 0);
    assert_int_equal(known.plan(0).w, 7);
    assert_int_equal(known.plan(1).w, -1);
    assert_int_equal(windows.plan(1).w, 20);
}

void a_first_band_is_for_pairs_that_are_chosen(void **)
{
    case_t c(RSCAN_ROUND_BOUND, RSCAN_BANDS_FIRST);

    assert_true(c.plan(0).counts);
    assert_true(c.plan(1).w < 0);
    assert_false(c.plan(1).kind == RSCAN_KINDS);
    c.launch.variant.only_banded = true;
    assert_true(c.plan(1).kind == RSCAN_KINDS);
    c.launch.banded = nullptr; /* all are chosen */
    assert_true(c.plan(1).counts);
    assert_false(c.plan(1).kind == RSCAN_KINDS);
}

void where_no_first_band_is_chosen_the_score_proves_one(void **)
{
    case_t c(RSCAN_ROUND_BOUND, RSCAN_BANDS_FIRST_OR_SCORES);

    c.launch.variant.only_banded = true;
    assert_int_equal(c.plan(1).w,
                     score_band_proved(&c.args.score_band, 1500, 1520, c.score[1]));
    assert_false(c.plan(1).counts);
    assert_int_equal(c.plan(1).kind, RSCAN_KINDS);
    assert_true(c.plan(0).counts);
}

void a_first_band_may_be_several_times_as_wide(void **)
{
    case_t c(RSCAN_ROUND_BOUND, RSCAN_BANDS_FIRST_OR_SCORES);

    assert_int_equal(c.plan(0).w, 64);
    c.banded[0] = static_cast<unsigned char>(1 + BAND_CHOICE_CLASSES);
    assert_int_equal(c.plan(0).w, 128);
    c.banded[0] = static_cast<unsigned char>(BAND_CHOICE_CLASSES * BAND_CHOICE_WIDTHS);
    assert_int_equal(c.plan(0).w, 384);
}

void some_rounds_cannot_be(void **)
{
    case_t guarded(RSCAN_ROUND_FIRST, RSCAN_BANDS_GUARDED);
    case_t windows(RSCAN_ROUND_WINDOW, RSCAN_BANDS_WINDOWS);
    case_t none(RSCAN_ROUND_FIRST, RSCAN_BANDS_NONE);
    case_t known(RSCAN_ROUND_BOUND, RSCAN_BANDS_KNOWN);

    guarded.launch.variant.bound_w = 0;
    assert_false(rscan_variant_is_valid(guarded.launch));
    windows.launch.variant.identity = false;
    assert_false(rscan_variant_is_valid(windows.launch));
    windows.launch.variant.round = RSCAN_ROUND_FIRST;
    assert_false(rscan_variant_is_valid(windows.launch));
    assert_true(rscan_variant_is_valid(none.launch));
    none.launch.variant.only_banded = true;
    assert_false(rscan_variant_is_valid(none.launch));
    assert_true(rscan_variant_is_valid(known.launch));
    known.launch.variant.by_rows = true;
    assert_false(rscan_variant_is_valid(known.launch));
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_round_of_bounds_takes_pairs_with_a_guarded_band),
        cmocka_unit_test(unlike_sequences_have_more_bits_for_ties),
        cmocka_unit_test(the_first_round_takes_pairs_without_a_guarded_band_too),
        cmocka_unit_test(pairs_whose_two_sequences_have_codes_are_sets),
        cmocka_unit_test(guessed_and_known_bands_have_a_width),
        cmocka_unit_test(a_first_band_is_for_pairs_that_are_chosen),
        cmocka_unit_test(where_no_first_band_is_chosen_the_score_proves_one),
        cmocka_unit_test(a_first_band_may_be_several_times_as_wide),
        cmocka_unit_test(some_rounds_cannot_be),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
