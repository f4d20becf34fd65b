/*
 * test_cell_layout.c - how many bits a cell takes: each limit, and the first value
 * beyond; and which ends and paths are those of the definition.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/common/cell_layout.h"

static align_spec_t spec_of(align_ends_t ends, align_emit_t emit, int32_t match,
                            int32_t mismatch, align_gap_t gap, align_gap_t end_gap)
{
    align_spec_t spec = {.ends = ends,
                         .emit = emit,
                         .end_gap = end_gap,
                         .min_overlap = {0, 1}};

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, match, mismatch, gap.extend);
    align_scoring_set_gap(&spec.scoring, gap);
    return spec;
}

static cell_layout_t layout_of(const align_spec_t *spec, int64_t n)
{
    cell_layout_t layout;

    assert_true(cell_layout_choose(spec, n, n, false, &layout));
    return layout;
}

/* Counted ends: h < 1002 (n + 1), which exceeds 65535 for n = 65.  Free ends: h <= 1000
 * (n + 1) + 2 n + 2, 1000 per match and 1 per gap base; 242 (n + 1) + 7 (2 n + 2) = 256
 * (n + 1).  Identities: h < 1002 (n + 1) and matches < 2^11 take 21 and 11 bits for up to
 * 2046 bases.  Free ends: h < 1018 (n + 1) takes 20 bits for up to 1029 bases, which
 * leaves one bit for the tie break.  With scores of 10^5, 25 bits and 8 are too many from
 * 167 bases on; with free ends and a bit for the tie break from 127 on. */
static void longer_sequences_take_wider_lanes(void **state)
{
    static const struct {
        align_ends_t ends;
        align_emit_t emit;
        int32_t match, mismatch, gap;
        cell_sweep_t sweep;
        int64_t limit;
    } rows[] = {
        {ENDS_COUNT, EMIT_SCORE, 1000, -1, -1, SWEEP_16, 64},
        {ENDS_FREE, EMIT_SCORE, 1000, -1, -1, SWEEP_16, 64},
        {ENDS_QUERY, EMIT_SCORE, 1000, -1, -1, SWEEP_16, 64},
        {ENDS_FREE, EMIT_SCORE, 242, -5, -7, SWEEP_16, 254},
        {ENDS_COUNT, EMIT_IDENTITY, 1000, -1, -1, SWEEP_32, 2046},
        {ENDS_FREE, EMIT_IDENTITY, 1000, -7, -9, SWEEP_32, 1029},
        {ENDS_QUERY, EMIT_IDENTITY, 1000, -7, -9, SWEEP_32, 1029},
        {ENDS_COUNT, EMIT_IDENTITY, 100000, -7, -9, SWEEP_32, 166},
        {ENDS_FREE, EMIT_IDENTITY, 100000, -7, -9, SWEEP_32, 126},
        {ENDS_QUERY, EMIT_IDENTITY, 100000, -7, -9, SWEEP_32, 126},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        const align_gap_t gap = {rows[k].gap, rows[k].gap};
        const align_spec_t spec = spec_of(rows[k].ends, rows[k].emit, rows[k].match,
                                          rows[k].mismatch, gap, (align_gap_t){0, 0});

        for (int64_t n = 1; n <= rows[k].limit; n++)
            assert_int_equal(layout_of(&spec, n).sweep, rows[k].sweep);
        assert_int_equal(layout_of(&spec, rows[k].limit + 1).sweep, rows[k].sweep + 1);
    }
}

/* A match adds 241 + 2 * 7 = 255 to a normalised cell; 256 does not fit in a byte.  No
 * difference of cells exceeds the step of a match, 2 * 7 - 7 = 7; the step -8 + 14 is
 * less than a gap base along a free border. */
static void steps_beyond_a_byte_take_16_bits(void **state)
{
    static const struct {
        int32_t match, mismatch;
        cell_sweep_t counted, others;
    } rows[] = {{241, -3, SWEEP_8, SWEEP_8},
                {242, -3, SWEEP_16, SWEEP_16},
                {-7, -11, SWEEP_8, SWEEP_8},
                {-8, -11, SWEEP_8, SWEEP_16}};
    const align_gap_t gap = {-7, -7};

    (void)state;
    for (int ends = ENDS_FREE; ends <= ENDS_QUERY; ends++)
        for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
            const align_spec_t spec =
                spec_of((align_ends_t)ends, EMIT_SCORE, rows[k].match, rows[k].mismatch,
                        gap, (align_gap_t){0, 0});
            const cell_layout_t layout = layout_of(&spec, 100);

            assert_int_equal(layout.sweep,
                             ends == ENDS_COUNT ? rows[k].counted : rows[k].others);
            if (rows[k].match > 0)
                assert_int_equal(layout.step_match, rows[k].match + 14);
        }
}

/* A = 2 + 2 * 2, B = mismatch + 2 * 2, o = open - 2: 8 bits hold 4 o - B and 5 (A + 1) of
 * tiles of 4 x 4. */
static void affine_costs_beyond_a_byte_take_16_bits(void **state)
{
    static const struct {
        int32_t mismatch, open;
        align_gap_t end_gap;
        cell_sweep_t sweep;
    } rows[] = {
        {-4, -57, {-2, -1}, SWEEP_8}, /* 4 * 55 + 35 = 255 */
        {-4, -58, {-2, -1}, SWEEP_16},
        {-144, -22, {-2, -1}, SWEEP_8}, /* 4 * 20 + 140 + 35 = 255 */
        {-145, -22, {-2, -1}, SWEEP_16},
        {-5, -22, {-22, -2}, SWEEP_8},
        {-5, -22, {-23, -2}, SWEEP_16}, /* the border's first base loses more than o */
        {-5, -22, {-22, -3}, SWEEP_16}, /* and its others lose 1 each */
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        const align_spec_t spec =
            spec_of(ENDS_PRICED, EMIT_SCORE, 2, rows[k].mismatch,
                    (align_gap_t){rows[k].open, -2}, rows[k].end_gap);

        assert_int_equal(layout_of(&spec, 100).sweep, rows[k].sweep);
    }
}

/* Of two sequences of 1,500 bases without gaps, `matches` match.  The others are
 * mismatches, which are T and have B = -4 + 2 * 2 = 0; a match has A = 2 + 2 * 2.
 * @return whether the numbers of this end are doubtful; if not, they are checked */
static bool is_doubtful(align_ends_t ends, int64_t matches)
{
    const align_spec_t spec = spec_of(ends, EMIT_IDENTITY, 2, -4, (align_gap_t){-20, -2},
                                      (align_gap_t){-2, -1});
    cell_end_t end = {.score = 2 * matches - 4 * (1500 - matches), .matches = -1};
    const int64_t t = 1500 - matches;
    cell_layout_t f;

    assert_true(cell_layout_choose_known(&spec, 1500, 1500, &f));
    assert_int_equal(f.sweep, SWEEP_32);
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

/* h of 10^6 per base and matches of a pair of 2,048 bases exceed 64 bits. */
static void keys_that_do_not_fit_are_refused(void **state)
{
    const align_gap_t gap = {-500001, -500001};
    const align_spec_t spec =
        spec_of(ENDS_COUNT, EMIT_IDENTITY, 4, -1000000, gap, (align_gap_t){0, 0});
    const device_t cpu = device_cpu();
    const align_context_t context = {.device = &cpu, .spec = &spec};

    (void)state;
    if (cpu.simd == SIMD_NONE)
        skip();
    assert_true(aligner_backend_takes(&simd_backend, &context, 3, 1024));
    assert_false(aligner_backend_takes(&simd_backend, &context, 3, 2048));
    assert_false(aligner_backend_takes(&simd_backend, &context, 2048, 3));
}

/* Offer an end of score 6, 3 matches and 3 columns in cell (i, j).  There c = 2, and the
 * unit is 2. */
static void offer_three_matches(const cell_layout_t *f, int64_t i, int64_t j,
                                cell_end_t *best)
{
    const int64_t h = 3 + i + j;

    cell_layout_offer(f,
                      ((h + f->bias) << f->h_shift) + (INT64_C(3) << f->m_shift) +
                          (i + j - 3),
                      i, j, 0, best);
}

static void of_equal_ends_the_one_in_the_last_row_then_column_is_kept(void **state)
{
    const align_spec_t spec = spec_of(ENDS_FREE, EMIT_IDENTITY, 2, -4,
                                      (align_gap_t){-20, -2}, (align_gap_t){0, 0});
    static const int64_t ends[][2] = {{5, 9}, {7, 4}, {7, 6}, {7, 3}, {6, 9}};
    const cell_layout_t f = layout_of(&spec, 100);
    cell_end_t best = {.score = 0};

    (void)state;
    assert_int_equal(f.tie, TIE_STEPS);
    assert_int_equal(f.unit, 2);
    for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
        offer_three_matches(&f, ends[k][0], ends[k][1], &best);
    assert_true(best.score == 6 && best.matches == 3 && best.columns == 3);
    assert_int_equal(best.i, 7);
    assert_int_equal(best.j, 6);
}

/* A path that leaves a band of w = 10 has 100 - 11 = 89 matches at most, each of which
 * has A = 4 + 2 * 8. */
static void a_path_outside_of_the_band_may_be_as_good(void **state)
{
    const align_spec_t spec = spec_of(ENDS_COUNT, EMIT_IDENTITY, 4, -5,
                                      (align_gap_t){-8, -8}, (align_gap_t){0, 0});
    const cell_layout_t f = layout_of(&spec, 100);
    cell_end_t end = {.h = 89 * 20, .matches = 89};

    (void)state;
    assert_int_equal(f.match, 20);
    assert_true(cell_layout_certifies(&f, &end, 100, 10));
    assert_false(cell_layout_holds_all(&f, &end, 100, 10));
    end.h++;
    assert_true(cell_layout_holds_all(&f, &end, 100, 10));
    end.h = end.matches = 0; /* no path leaves a band of all rows */
    assert_true(cell_layout_holds_all(&f, &end, 100, 100));
}

/* Two gaps of 2 score more than a mismatch of 5: it has the value of these. */
static void mismatches_dearer_than_two_gaps_are_not_followed(void **state)
{
    static const int32_t mismatch[] = {-3, -4, -5};
    const align_gap_t none = {0, 0}, linear = {-2, -2}, affine = {-3, -2};

    (void)state;
    for (int k = 0; k < 3; k++) {
        const align_spec_t of_linear =
            spec_of(ENDS_COUNT, EMIT_IDENTITY, 4, mismatch[k], linear, none);
        const align_spec_t of_affine =
            spec_of(ENDS_COUNT, EMIT_IDENTITY, 4, mismatch[k], affine, none);
        const cell_layout_t f = layout_of(&of_linear, 100),
                            g = layout_of(&of_affine, 100);

        assert_int_equal(cell_layout_is_traceable(&f), mismatch[k] >= -4);
        assert_true(cell_layout_is_traceable(&g));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longer_sequences_take_wider_lanes),
        cmocka_unit_test(steps_beyond_a_byte_take_16_bits),
        cmocka_unit_test(affine_costs_beyond_a_byte_take_16_bits),
        cmocka_unit_test(known_scores_prove_pairs_of_few_matches),
        cmocka_unit_test(keys_that_do_not_fit_are_refused),
        cmocka_unit_test(of_equal_ends_the_one_in_the_last_row_then_column_is_kept),
        cmocka_unit_test(a_path_outside_of_the_band_may_be_as_good),
        cmocka_unit_test(mismatches_dearer_than_two_gaps_are_not_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
