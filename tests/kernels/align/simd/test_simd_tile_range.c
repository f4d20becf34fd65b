/*
 * test_simd_tile_range.c - which columns of a row of tiles are computed.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/simd/simd_tile_range.h"

#include <string.h>

enum { LEN = 64, LANES = 1 };

static align_spec_t spec;
static cell_layout_t layout;
static int64_t border[LEN + 1];
static uint8_t cells[LEN + 1];
static int32_t rest[4 * (LEN + 1)]; /* f, last_v, last_less, shift, corner */

/* A pair of 64 bases each.  Matches score 2, mismatches -4, gap bases inside -2 and at
 * ends -1: a match adds 2 + 2 * 2 = 6 to h, and a base of a border adds 1. */
static simd_group_t group(void)
{
    simd_group_t g = {.spec = &spec, .layout = &layout, .n_lanes = 1};

    memset(&spec, 0, sizeof(spec));
    align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, 2, -4, -2);
    align_scoring_set_gap(&spec.scoring, (align_gap_t){-20, -2});
    spec.ends = ENDS_PRICED;
    spec.end_gap = (align_gap_t){-1, -1};
    assert_true(cell_layout_choose(&spec, LEN, LEN, false, &layout));
    assert_int_equal(layout.tile, 16);
    for (int32_t k = 0; k <= LEN; k++)
        border[k] = k;
    memset(cells, (int)simd_affine_bias(&layout), sizeof(cells));
    memset(rest, 0, sizeof(rest));
    g.m[0] = g.n[0] = g.m_max = g.n_max = LEN;
    g.row_border = g.column_border = border;
    g.h = cells;
    g.f = rest;
    return g;
}

/* Rows 33 .. 48 of a band of 10 columns on either side: columns 23 .. 58. */
static void a_narrow_range_holds_the_band(void **state)
{
    simd_group_t g = group();
    int32_t first = 0, stop = LEN;

    (void)state;
    g.narrow = true;
    g.low = g.high = 10;
    simd_tile_choose(&g, LANES, 32, &first, &stop);
    assert_int_equal(first, 16);
    assert_int_equal(stop, LEN);
    simd_tile_choose(&g, LANES, 0, &first, &stop);
    assert_int_equal(first, 0);
    assert_int_equal(stop, 32);
}

/* After 16 matches in 16 rows, only their cell can lead to 2 * 64.  Columns up to 32 are
 * reached by steps, and those of the next tile, too, as far as the range knows. */
static void only_tiles_that_lead_to_the_score_matter(void **state)
{
    const int64_t least = 128;
    simd_group_t g = group();
    int32_t first = 0, stop = LEN;

    (void)state;
    g.least = &least;
    cells[16] = (uint8_t)(cells[16] + 16 * 6);
    simd_tile_choose(&g, LANES, 16, &first, &stop);
    assert_int_equal(first, 0);
    assert_int_equal(stop, 32);
}

/* With 2 matches less, all other cells have at most h = 16, of the border: a score of 16
 * - 2 * 16 = -16, and 2 * 48 more with 16 bases in a gap, which cost 1 each. */
static void more_tiles_matter_for_a_lower_score(void **state)
{
    const int64_t least[] = {-16 + 96 - 16, -16 + 96 - 15};
    simd_group_t g = group();
    int32_t first = 0, stop = LEN;

    (void)state;
    g.least = &least[0];
    assert_true(simd_tile_matters(&g, LANES, 16, 0));
    g.least = &least[1];
    assert_false(simd_tile_matters(&g, LANES, 16, 0));
    simd_tile_choose(&g, LANES, 16, &first, &stop);
    assert_int_equal(first, stop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_narrow_range_holds_the_band),
        cmocka_unit_test(only_tiles_that_lead_to_the_score_matter),
        cmocka_unit_test(more_tiles_matter_for_a_lower_score),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
