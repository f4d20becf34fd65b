/*
 * test_simd_local.c - the backend simd-local equals scalar, which is the reference, at
 * every SIMD level.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/kernels/align/engine/aligner_case.h"

static const char kernel[] = "simd-local";

static align_spec_t random_spec(rng_t *rng, int k)
{
    align_spec_t spec = k % 2 == 0 ? random_set_affine_spec(rng)
                                   : random_set_spec(k / 2 % RANDOM_SET_SPECS);

    spec.ends = ENDS_LOCAL;
    spec.min_overlap = (fraction_t){0, 1};
    return spec;
}

static void it_equals_scalar_on_tiny_pairs(void **state)
{
    (void)state;
    try_random_specs(1, random_spec, &(random_set_opts_t){160, 1, 12, 50},
                     random_set_count(60), 300, kernel);
}

static void it_equals_scalar_on_medium_pairs(void **state)
{
    (void)state;
    try_random_specs(2, random_spec, &(random_set_opts_t){60, 1, 300, 30},
                     random_set_count(40), 50, kernel);
}

static void it_equals_scalar_on_large_pairs(void **state)
{
    (void)state;
    try_random_specs(3, random_spec, &(random_set_opts_t){16, 1, 2500, 30},
                     random_set_count(8), 4, kernel);
}

static align_spec_t local_spec(int32_t match, int32_t mismatch, align_gap_t gap)
{
    align_spec_t spec = spec_of(ENDS_LOCAL, match, mismatch, gap.extend);

    align_scoring_set_gap(&spec.scoring, gap);
    spec.emit = EMIT_IDENTITY;
    return spec;
}

/* The same part ends in several rows and columns of one strip and of others, in one block
 * of columns and in others. */
static void the_last_one_of_equal_ends_is_found(void **state)
{
    const char *text = "ACG ACGTACG ACGTTACGTACGTTTTTACG A300 A1 C70ACGTC70ACGTC9 "
                       "ACGTT90ACGTT200ACGT T3ACGTC64ACGT";
    align_spec_t linear = local_spec(4, -5, (align_gap_t){-7, -7});
    align_spec_t ties = local_spec(1, -1, (align_gap_t){-1, -1});
    align_spec_t affine = local_spec(2, -4, (align_gap_t){-20, -2});
    const align_spec_t *specs[] = {&linear, &ties, &affine};

    (void)state;
    skip_without_simd();
    for (int k = 0; k < 3; k++) {
        case_t c = spelled_case(text);

        assert_levels_equal_scalar(&c, specs[k], pools[3], kernel);
    }
}

/* Gaps of one base are cheaper than mismatches, or long ones are: ties of either sign,
 * and more than 32 bits hold. */
static void pairs_in_doubt_are_aligned_again(void **state)
{
    static const align_gap_t gaps[] = {
        {-20, -2}, {-2, -2}, {-30, -1}, {-6, -6}, {-9, -8}};
    rng_t rng = rng_seed(4);

    (void)state;
    skip_without_simd();
    for (int k = 0; k < 5; k += CASE_STEP) {
        align_spec_t spec = local_spec(5, k % 2 == 0 ? -4 : -6, gaps[k]);
        case_t c = random_case(&rng, &(random_set_opts_t){8, 1200, 1900, 0}, 6);

        assert_levels_equal_scalar(&c, &spec, pools[3], kernel);
    }
}

/* A matrix of 5 and 1: what follows the end of a lane must not gain, as mismatches do. */
static void mismatches_may_gain(void **state)
{
    align_spec_t spec = local_spec(5, 1, (align_gap_t){-9, -2});
    align_gap_t gap = align_scoring_gap(&spec.scoring);
    score_matrix_t matrix = {.alphabet = ALPHABET_DNA};
    rng_t rng = rng_seed(5);
    case_t c;

    (void)state;
    skip_without_simd();
    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++)
            matrix.score[a][b] = a == b ? 5 : 1;
    align_scoring_set_matrix(&spec.scoring, &matrix, gap.extend);
    align_scoring_set_gap(&spec.scoring, gap);
    c = random_case(&rng, &(random_set_opts_t){60, 1, 90, 30}, 200);
    assert_levels_equal_scalar(&c, &spec, pools[1], kernel);
}

/* Scores of 40,000 and more need 32 bits. */
static void scores_beyond_16_bits_are_wider(void **state)
{
    align_spec_t spec = local_spec(100, -150, (align_gap_t){-200, -20});
    case_t c = spelled_case("ACGTGGATTCA40ACG300T80 TTACGTGGATTCA40ACG290T90G A5");

    (void)state;
    skip_without_simd();
    assert_levels_equal_scalar(&c, &spec, pools[1], kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_equals_scalar_on_tiny_pairs),
        cmocka_unit_test(it_equals_scalar_on_medium_pairs),
        cmocka_unit_test(it_equals_scalar_on_large_pairs),
        cmocka_unit_test(the_last_one_of_equal_ends_is_found),
        cmocka_unit_test(pairs_in_doubt_are_aligned_again),
        cmocka_unit_test(mismatches_may_gain),
        cmocka_unit_test(scores_beyond_16_bits_are_wider),
    };

    return cmocka_run_group_tests(tests, make_pools, destroy_pools);
}
