/*
 * test_denoise_rule.c - which reads absorb others, and which become ASVs.
 */
#include "tests/support/unit_test.h"

#include "worker/denoise/denoise_rule.h"

enum { N = 6 };

/* With alpha 2 a read with d mismatches has at most 1 / 2^(2 d + 1) of the abundance:
 * 1/8, 1/32, 1/128. */
static void each_mismatch_costs_a_factor_of_four(void **state)
{
    (void)state;
    assert_true(denoise_accepts(2, 10, 80, 1));
    assert_false(denoise_accepts(2, 11, 80, 1));
    assert_true(denoise_accepts(2, 10, 320, 2));
    assert_false(denoise_accepts(2, 10, 319, 2));
    assert_true(denoise_accepts(1, 10, 40, 1));
}

static void reads_without_mismatches_are_always_absorbed(void **state)
{
    (void)state;
    assert_true(denoise_accepts(2, 80, 80, 0));
    assert_true(denoise_accepts(2, 79, 80, 0));
}

static void the_maximum_is_the_last_that_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(denoise_max_mismatches(2, 10, 79), 0);
    assert_int_equal(denoise_max_mismatches(2, 10, 80), 1);
    assert_int_equal(denoise_max_mismatches(2, 10, 319), 1);
    assert_int_equal(denoise_max_mismatches(2, 10, 320), 2);
    assert_int_equal(denoise_max_mismatches(2, 1, INT64_C(1) << 41), 20);
    assert_int_equal(denoise_max_mismatches(0, 1, 1), 0);
    assert_int_equal(denoise_max_mismatches(0, 1, 2), DENOISE_MISMATCHES_MAX);
    for (int64_t size = 1; size < 300; size++) {
        const int64_t d = denoise_max_mismatches(1.3, size, 100000);

        assert_true(denoise_accepts(1.3, size, 100000, d));
        assert_false(denoise_accepts(1.3, size, 100000, d + 1));
    }
}

static void decide(const denoise_edge_t *edges, int64_t n_edges, const int32_t *expected,
                   int32_t *mismatches)
{
    int32_t centroid[N];

    assert_int_equal(denoise_decide(N, edges, n_edges, centroid, mismatches), ST_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(centroid[i], expected[i]);
}

static void reads_without_edges_are_centroids(void **state)
{
    const int32_t expected[N] = {0, 1, 2, 3, 4, 5};
    int32_t mismatches[N];

    (void)state;
    decide(NULL, 0, expected, mismatches);
    assert_int_equal(mismatches[5], 0);
}

/* Read 2 is absorbed by 0, so 3 cannot join it; 4 has no other edge. */
static void only_centroids_absorb(void **state)
{
    const denoise_edge_t edges[] = {{4, 2, 99, 1, 100},
                                    {2, 0, 99, 1, 100},
                                    {3, 1, 97, 3, 100},
                                    {3, 2, 98, 2, 100}};
    const int32_t expected[N] = {0, 1, 0, 1, 4, 5};
    int32_t mismatches[N];

    (void)state;
    decide(edges, 4, expected, mismatches);
    assert_int_equal(mismatches[2], 1);
    assert_int_equal(mismatches[3], 3);
}

/* Gaps lower the share of matches, too: 98 / 100 < 99 / 100. */
static void the_closest_centroid_absorbs(void **state)
{
    const denoise_edge_t edges[] = {{3, 0, 98, 1, 100},
                                    {3, 1, 99, 1, 100},
                                    {3, 2, 99, 1, 100},
                                    {4, 1, 98, 2, 100},
                                    {4, 0, 49, 1, 50}};
    const int32_t expected[N] = {0, 1, 2, 1, 0, 5};
    int32_t mismatches[N];

    (void)state;
    decide(edges, 5, expected, mismatches);
    assert_int_equal(mismatches[4], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mismatch_costs_a_factor_of_four),
        cmocka_unit_test(reads_without_mismatches_are_always_absorbed),
        cmocka_unit_test(the_maximum_is_the_last_that_is_accepted),
        cmocka_unit_test(reads_without_edges_are_centroids),
        cmocka_unit_test(only_centroids_absorb),
        cmocka_unit_test(the_closest_centroid_absorbs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
