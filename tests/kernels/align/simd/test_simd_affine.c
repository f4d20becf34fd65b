/*
 * test_simd_affine.c - with affine gaps and priced ends the backend simd equals scalar,
 * which is the reference, at every SIMD level.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/common/cell_layout.h"
#include "tests/kernels/align/engine/aligner_case.h"

static align_spec_t random_spec(rng_t *rng, int k)
{
    (void)k;
    return random_set_affine_spec(rng);
}

static void simd_equals_scalar_on_tiny_pairs(void **state)
{
    (void)state;
    try_random_specs(1, random_spec, &(random_set_opts_t){160, 1, 12, 50},
                     random_set_count(60), 300, "simd");
}

static void simd_equals_scalar_on_medium_pairs(void **state)
{
    (void)state;
    try_random_specs(2, random_spec, &(random_set_opts_t){60, 1, 300, 30},
                     random_set_count(40), 50, "simd");
}

/* With bands, and tiles of 16 x 16 to 4 x 4 that do not matter. */
static void simd_equals_scalar_on_pairs_of_many_tiles(void **state)
{
    (void)state;
    try_random_specs(4, random_spec, &(random_set_opts_t){24, 200, 900, 30},
                     random_set_count(12), 16, "simd");
}

static void simd_equals_scalar_on_large_pairs(void **state)
{
    (void)state;
    try_random_specs(3, random_spec, &(random_set_opts_t){16, 1, 2500, 30},
                     random_set_count(6), 4, "simd");
}

static align_spec_t affine_spec(align_ends_t ends, int32_t mismatch, align_gap_t gap,
                                align_gap_t end_gap)
{
    align_spec_t spec = spec_of(ends, 2, mismatch, gap.extend);

    align_scoring_set_gap(&spec.scoring, gap);
    spec.emit = EMIT_IDENTITY;
    spec.end_gap = end_gap;
    return spec;
}

/* Bands are 64 columns wide.  Of the first two sequences, the best alignments leave one
 * by 86; of the runs of A, paths inside and outside of a band are equally good; the last
 * two sequences overlap far from the diagonal. */
static void paths_that_leave_a_band_are_found(void **state)
{
    const char *text = "G200A150C200 G200C200T150 A300 A400 A300G100 C250A100 A100T250";
    const align_gap_t end_gaps[] = {{-2, -1}, {0, -1}, {-30, -3}};

    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_PRICED; ends += CASE_STEP)
        for (size_t k = 0; k < sizeof(end_gaps) / sizeof(end_gaps[0]); k++)
            for (int mismatch = -30; mismatch <= -4; mismatch += 13) {
                align_spec_t spec = affine_spec((align_ends_t)ends, mismatch,
                                                (align_gap_t){-20, -2}, end_gaps[k]);
                case_t c = spelled_case(text);

                if (ends == ENDS_PRICED || k == 0)
                    assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
                else
                    free_case(&c);
            }
}

/* Along the diagonal 140 mismatches cost as much as 2 gaps of 70 bases, and 70 matches
 * more than without them: 140 * (2 + 4) / 2 + 70 * 2 = 2 * (74 + 69 * 4).  The gaps lead
 * out of the band to either side. */
static void paths_outside_of_a_band_with_more_matches_are_found(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_PRICED; ends += CASE_STEP) {
        align_spec_t spec = affine_spec((align_ends_t)ends, -4, (align_gap_t){-74, -4},
                                        (align_gap_t){-2, -1});
        case_t c = spelled_case("A150G70C100A150 A150C100G70A150");

        assert_levels_equal_scalar(&c, &spec, pools[1], "simd");
    }
}

/* Mismatches cost nothing.  Along the diagonal 100 matches are in 300 columns, in the
 * overlap of 200 bases there are 100, too. */
static void overlaps_outside_of_a_band_with_fewer_columns_are_found(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_PRICED; ends += ENDS_PRICED - ENDS_FREE) {
        align_spec_t spec = affine_spec((align_ends_t)ends, 0, (align_gap_t){-90, -2},
                                        (align_gap_t){0, 0});
        case_t c = spelled_case("T100G100C100 G100A100C100");

        assert_levels_equal_scalar(&c, &spec, pools[1], "simd");
    }
}

/* The overlap of 260 bases ends in the last column, 40 rows before the last one, in rows
 * that paths enter the band's outside in: they must not affect the score there. */
static void overlaps_that_end_beside_the_last_row_are_scored(void **state)
{
    align_spec_t spec =
        affine_spec(ENDS_FREE, -4, (align_gap_t){-20, -2}, (align_gap_t){0, 0});
    case_t c = spelled_case("A75G113T31A41T40 C40A75G113T31A41");

    (void)state;
    skip_without_simd();
    assert_levels_equal_scalar(&c, &spec, pools[1], "simd");
}

/* A lane of 32 bits holds h, M and T of pairs whose scores are known.  Of 1,500 bases, h
 * needs 13 bits, and 19 are left for M and T: pairs with few matches, or an overlap far
 * inside the longer sequence, are doubtful. */
static void doubtful_pairs_of_known_scores_are_aligned_again(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_PRICED; ends += CASE_STEP) {
        align_spec_t spec = affine_spec((align_ends_t)ends, -4, (align_gap_t){-20, -2},
                                        (align_gap_t){-2, -1});
        case_t c = spelled_case("G900A500C100 A600C900 A500G500C500 A1500 A1400C30");
        cell_layout_t layout;

        assert_true(cell_layout_choose_known(&spec, 1500, 1500, &layout));
        assert_int_equal(layout.sweep, SWEEP_32);
        assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
    }
}

/* Nothing but overlaps of 12 or 13 bases, 9 with a mismatch, or none: pairs with at most
 * 12 matches' score skip bands and known scores. */
static void overlaps_by_chance_are_aligned(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_PRICED; ends += ENDS_PRICED - ENDS_FREE) {
        align_spec_t spec = affine_spec((align_ends_t)ends, -4, (align_gap_t){-20, -2},
                                        (align_gap_t){0, 0});
        case_t c = spelled_case("A400G12 G12C500 C300G13 G13T400 T4GT4A300 R250");

        assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
    }
}

/* Of two sequences of 1,500 bases without gaps, `matches` match.  The others are
 * mismatches, which are T and have B = -4 + 2 * 2 = 0; a match has A = 2 + 2 * 2.
 * @return whether the numbers of this end are doubtful; if not, they are checked */
static bool is_doubtful(align_ends_t ends, int64_t matches)
{
    align_spec_t spec =
        affine_spec(ends, -4, (align_gap_t){-20, -2}, (align_gap_t){-2, -1});
    cell_end_t end = {.score = 2 * matches - 4 * (1500 - matches), .matches = -1};
    int64_t t = 1500 - matches;
    cell_layout_t f;

    assert_true(cell_layout_choose_known(&spec, 1500, 1500, &f));
    cell_layout_offer(&f,
                      (f.bias + matches * 6 / f.unit) * f.known_h + matches * f.known_m +
                          t,
                      1500, 1500, 0, &end);
    assert_true(end.doubtful || (end.matches == matches && end.columns == 1500));
    return end.doubtful;
}

/* With counted ends the unit is 6, and h is at most 1,501 and a bias.  M and T have 2^32
 * / 1,520 = 2.8 million values, more than 1,500^2.  With priced ends the unit is 1: 2^32
 * / 9,100 = 472,000 values are about 690^2, so that 1,500 - 690 matches are needed. */
static void known_scores_prove_pairs_of_few_matches(void **state)
{
    (void)state;
    assert_false(is_doubtful(ENDS_COUNT, 0));
    assert_false(is_doubtful(ENDS_COUNT, 750));
    assert_true(is_doubtful(ENDS_PRICED, 750));
    assert_false(is_doubtful(ENDS_PRICED, 850));
}

/* A = 2 + 2 * 2, B = mismatch + 2 * 2, o = open - 2: 8 bits hold 4 o - B and 5 (A + 1) of
 * tiles of 4 x 4. */
static void costs_beyond_a_byte_change_from_8_to_16_bits(void **state)
{
    const struct {
        int32_t mismatch, open;
        align_gap_t end_gap;
        cell_sweep_t sweep;
    } cases[] = {
        {-4, -57, {-2, -1}, SWEEP_8}, /* 4 * 55 + 35 = 255 */
        {-4, -58, {-2, -1}, SWEEP_16},
        {-144, -22, {-2, -1}, SWEEP_8}, /* 4 * 20 + 140 + 35 = 255 */
        {-145, -22, {-2, -1}, SWEEP_16},
        {-5, -22, {-22, -2}, SWEEP_8},
        {-5, -22, {-23, -2}, SWEEP_16}, /* the border's first base loses more than o */
        {-5, -22, {-22, -3}, SWEEP_16}, /* and its others lose 1 each */
    };

    (void)state;
    skip_without_simd();
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        align_spec_t spec =
            affine_spec(ENDS_PRICED, cases[k].mismatch, (align_gap_t){cases[k].open, -2},
                        cases[k].end_gap);
        case_t c = spelled_case("A90C ACA100 RA80C3 NA99 G200A150C20 G190C20A100");
        cell_layout_t layout;

        spec.emit = EMIT_SCORE;
        assert_true(cell_layout_choose(&spec, 100, 100, false, &layout));
        assert_int_equal(layout.sweep, cases[k].sweep);
        assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simd_equals_scalar_on_tiny_pairs),
        cmocka_unit_test(simd_equals_scalar_on_medium_pairs),
        cmocka_unit_test(simd_equals_scalar_on_pairs_of_many_tiles),
        cmocka_unit_test(simd_equals_scalar_on_large_pairs),
        cmocka_unit_test(paths_that_leave_a_band_are_found),
        cmocka_unit_test(paths_outside_of_a_band_with_more_matches_are_found),
        cmocka_unit_test(overlaps_outside_of_a_band_with_fewer_columns_are_found),
        cmocka_unit_test(overlaps_that_end_beside_the_last_row_are_scored),
        cmocka_unit_test(doubtful_pairs_of_known_scores_are_aligned_again),
        cmocka_unit_test(overlaps_by_chance_are_aligned),
        cmocka_unit_test(known_scores_prove_pairs_of_few_matches),
        cmocka_unit_test(costs_beyond_a_byte_change_from_8_to_16_bits),
    };

    return cmocka_run_group_tests(tests, make_pools, destroy_pools);
}
