/*
 * test_simd.c - the backend simd equals scalar at every SIMD level, with and without
 * bands, and where lane widths change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/common/cell_layout.h"
#include "tests/kernels/align/engine/aligner_case.h"

#include <stdio.h>

static align_spec_t random_spec(rng_t *rng, int k)
{
    (void)rng;
    return random_set_spec(k);
}

static void try_random_pairs(const random_set_opts_t *opts, int n_pairs)
{
    try_random_specs(1, random_spec, opts, RANDOM_SET_ALL_SPECS,
                     random_set_count(n_pairs), "simd");
}

static const random_set_opts_t tiny = {160, 1, 12, 50};
static const random_set_opts_t medium = {160, 1, 400, 30};
static const random_set_opts_t large = {24, 1, RANDOM_SET_DIVISOR > 1 ? 1500 : 3000, 30};

static void simd_equals_scalar_on_tiny_pairs(void **state)
{
    (void)state;
    try_random_pairs(&tiny, 1000);
}

static void simd_equals_scalar_on_medium_pairs(void **state)
{
    (void)state;
    try_random_pairs(&medium, 160);
}

static void simd_equals_scalar_on_large_pairs(void **state)
{
    (void)state;
    try_random_pairs(&large, 4);
}

/* @return the maximum length of two sequences whose cells a sweep can hold */
static int64_t limit_of(const align_spec_t *spec, cell_sweep_t sweep)
{
    cell_layout_t layout;
    int64_t n = 1;

    assert_true(cell_layout_choose(spec, n, n, false, &layout));
    assert_int_equal(layout.sweep, sweep);
    while (cell_layout_choose(spec, n + 1, n + 1, false, &layout) &&
           layout.sweep == sweep)
        n++;
    return n;
}

static void assert_limit(align_spec_t *spec, cell_sweep_t sweep, int64_t limit)
{
    char text[64];

    assert_int_equal(limit_of(spec, sweep), limit);
    for (int64_t n = limit; n <= limit + 1; n++) {
        snprintf(text, sizeof(text), "A%d A%d AC A%dC", (int)n, (int)n, (int)n / 2);
        assert_spelled(text, spec);
    }
}

/* Counted ends: h < 1002 (n + 1), which exceeds 65535 for n = 65.  Free ends: h <= 1000
 * (n + 1) + 2 n + 2, 1000 per match and 1 per gap base. */
static void scores_change_from_16_to_32_bits(void **state)
{
    align_spec_t counted = spec_of(ENDS_COUNT, 1000, -1, -1);
    align_spec_t overlap = spec_of(ENDS_FREE, 1000, -1, -1);
    align_spec_t query = spec_of(ENDS_QUERY, 1000, -1, -1);

    (void)state;
    skip_without_simd();
    assert_limit(&counted, SWEEP_16, 64);
    assert_limit(&overlap, SWEEP_16, 64);
    assert_limit(&query, SWEEP_16, 64);
}

/* A match adds 241 + 2 * 7 = 255 to a normalised cell; 256 does not fit in a byte. */
static void steps_beyond_a_byte_change_from_8_to_16_bits(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_QUERY; ends++)
        for (int match = 241; match <= 242; match++) {
            align_spec_t spec = spec_of((align_ends_t)ends, match, -3, -7);
            cell_layout_t layout;

            assert_true(cell_layout_choose(&spec, 100, 100, false, &layout));
            assert_int_equal(layout.step_match, match + 14);
            assert_int_equal(layout.sweep, match == 241 ? SWEEP_8 : SWEEP_16);
            assert_spelled("A90C ACA100 RA80C3 NA99", &spec);
        }
}

/* No difference of cells exceeds the step of a match, 2 * 7 - 7 = 7; the step -8 + 14 is
 * less than a gap base along a free border. */
static void matches_that_cost_more_than_a_gap_change_from_8_to_16_bits(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_QUERY; ends++)
        for (int match = -8; match <= -7; match++) {
            align_spec_t spec = spec_of((align_ends_t)ends, match, -11, -7);
            cell_layout_t layout;

            assert_true(cell_layout_choose(&spec, 100, 100, false, &layout));
            assert_int_equal(layout.sweep,
                             match == -7 || ends == ENDS_COUNT ? SWEEP_8 : SWEEP_16);
            assert_spelled("A90C ACA100 RA80C3 NA99", &spec);
        }
}

/* 242 (n + 1) + 7 (2 n + 2) = 256 (n + 1). */
static void scores_with_free_ends_change_from_16_to_32_bits(void **state)
{
    align_spec_t spec = spec_of(ENDS_FREE, 242, -5, -7);

    (void)state;
    skip_without_simd();
    assert_limit(&spec, SWEEP_16, 254);
}

/* Counted ends: h < 1002 (n + 1) and matches < 2^11 take 21 and 11 bits for up to 2046
 * bases. Free ends: h < 1018 (n + 1) takes 20 bits for up to 1029 bases, which leaves one
 * bit for the tie break. */
static void identities_change_from_32_to_64_bits(void **state)
{
    align_spec_t spec = spec_of(ENDS_COUNT, 1000, -1, -1);

    (void)state;
    skip_without_simd();
    spec.emit = EMIT_IDENTITY;
    assert_limit(&spec, SWEEP_32, 2046);
    spec = spec_of(ENDS_FREE, 1000, -7, -9);
    spec.emit = EMIT_IDENTITY;
    assert_limit(&spec, SWEEP_32, 1029);
    spec.ends = ENDS_QUERY;
    assert_limit(&spec, SWEEP_32, 1029);
}

/* Overlaps that start far inside the longer sequence saturate a tie break of 32 bits. */
static void doubtful_pairs_of_32_bits_are_aligned_again(void **state)
{
    const int32_t scores[][3] = {{4, -5, -7}, {4, -5, -8}, {2, -9, -5}, {3, -4, -4}};

    (void)state;
    skip_without_simd();
    for (size_t k = 0; k < sizeof(scores) / sizeof(scores[0]); k += CASE_STEP) {
        align_spec_t spec = spec_of(ENDS_FREE, scores[k][0], scores[k][1], scores[k][2]);

        assert_spelled("G900A500C300 A500 A490C300 A300CA150 G30A500", &spec);
        spec.ends = ENDS_QUERY;
        assert_spelled("G900A500C300 A500 A490C300 A300CA150 G30A500", &spec);
    }
}

static void pairs_whose_keys_do_not_fit_go_to_scalar(void **state)
{
    align_spec_t spec = spec_of(ENDS_COUNT, 4, -1000000, -500001);
    device_t cpu = device_cpu();
    align_context_t context = {.device = &cpu, .spec = &spec};
    int64_t limit = 1;

    (void)state;
    skip_without_simd();
    spec.emit = EMIT_IDENTITY;
    while (aligner_backend_takes(&simd_backend, &context, 2 * limit, 2 * limit))
        limit *= 2;
    assert_true(aligner_backend_takes(&simd_backend, &context, 3, limit));
    assert_false(aligner_backend_takes(&simd_backend, &context, 3, 2 * limit));
    assert_false(aligner_backend_takes(&simd_backend, &context, 2 * limit, 3));
    for (int ends = ENDS_FREE; ends <= ENDS_QUERY; ends += CASE_STEP) {
        char text[64];
        case_t c;

        snprintf(text, sizeof(text), "A3 AC9 A%d C%d", (int)limit, (int)(2 * limit));
        c = spelled_case(text);
        spec.ends = (align_ends_t)ends;
        c.n -= 2; /* the two longest would take long */
        assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
    }
}

static void simd_equals_scalar_with_a_matrix(void **state)
{
    rng_t rng = rng_seed(3);
    score_matrix_t matrix;

    (void)state;
    skip_without_simd();
    for (int k = 0; k < 9; k++) {
        align_spec_t spec = {.ends = (align_ends_t)(k % 3), .min_overlap = {1, 2}};
        case_t c = random_case(&rng, k < 6 ? &tiny : &medium,
                               random_set_count(k < 6 ? 500 : 50));

        random_set_matrix(&rng, &matrix);
        align_scoring_set_matrix(&spec.scoring, &matrix, -1 - 4 * k);
        assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
    }
}

/* As in NUC.4.4: 5 and -4 for plain bases, and other scores for ambiguity codes.  Some
 * pairs have no codes, and are aligned by these two values. */
static void simd_equals_scalar_with_a_matrix_of_two_values_for_plain_bases(void **state)
{
    rng_t rng = rng_seed(4);
    score_matrix_t matrix;

    (void)state;
    skip_without_simd();
    random_set_matrix(&rng, &matrix);
    for (uint8_t a = 1; a < DNA_SIZE; a++)
        for (uint8_t b = 1; b < DNA_SIZE; b++)
            if (alphabet_is_base(ALPHABET_DNA, a) && alphabet_is_base(ALPHABET_DNA, b))
                matrix.score[a][b] = a == b ? 5 : -4;
    for (int k = 0; k < 8; k++) {
        align_spec_t spec = {.ends = (align_ends_t)(k % 4),
                             .end_gap = {-2, -1},
                             .min_overlap = {1, 2}};
        case_t c = random_case(&rng, &medium, random_set_count(60));

        align_scoring_set_matrix(&spec.scoring, &matrix, -6);
        align_scoring_set_gap(&spec.scoring, (align_gap_t){k < 4 ? -10 : -6, -6});
        assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
    }
}

static void a_code_in_one_of_two_sequences_counts(void **state)
{
    align_spec_t spec = {.ends = ENDS_FREE, .min_overlap = {0, 1}};
    score_matrix_t matrix;

    (void)state;
    skip_without_simd();
    memset(&matrix, 0, sizeof(matrix));
    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++)
            matrix.score[a][b] = a == b ? 5 : -4;
    matrix.score[CODE_N][1] = matrix.score[1][CODE_N] = 4; /* and A */
    align_scoring_set_matrix(&spec.scoring, &matrix, -8);
    assert_spelled("NA5 A6 A3NA2 C3A3 NA299 A300 A150NA149 C100A200", &spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simd_equals_scalar_on_tiny_pairs),
        cmocka_unit_test(simd_equals_scalar_on_medium_pairs),
        cmocka_unit_test(simd_equals_scalar_on_large_pairs),
        cmocka_unit_test(scores_change_from_16_to_32_bits),
        cmocka_unit_test(steps_beyond_a_byte_change_from_8_to_16_bits),
        cmocka_unit_test(matches_that_cost_more_than_a_gap_change_from_8_to_16_bits),
        cmocka_unit_test(scores_with_free_ends_change_from_16_to_32_bits),
        cmocka_unit_test(identities_change_from_32_to_64_bits),
        cmocka_unit_test(doubtful_pairs_of_32_bits_are_aligned_again),
        cmocka_unit_test(pairs_whose_keys_do_not_fit_go_to_scalar),
        cmocka_unit_test(simd_equals_scalar_with_a_matrix),
        cmocka_unit_test(simd_equals_scalar_with_a_matrix_of_two_values_for_plain_bases),
        cmocka_unit_test(a_code_in_one_of_two_sequences_counts),
    };

    return cmocka_run_group_tests(tests, make_pools, destroy_pools);
}
