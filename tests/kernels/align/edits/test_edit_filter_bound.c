/*
 * test_edit_filter_bound.c - the bounds of edit_filter_bound.h, worked by hand.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/edits/edit_filter_bound.h"

static edit_filter_bound_t bound_of(align_ends_t ends, fraction_t overlap,
                                    fraction_t identity, int64_t max_len)
{
    align_spec_t spec = {.ends = ends, .min_overlap = overlap};
    edit_filter_bound_t bound;

    assert_int_equal(edit_filter_bound_create(&spec, identity, max_len, &bound), ST_OK);
    return bound;
}

/* 90 bases in 100 columns, 10 of which are gaps: identity 90/100, 10 edits. */
static void maximum_edits_are_as_worked_by_hand(void **state)
{
    edit_filter_bound_t bound =
        bound_of(ENDS_COUNT, (fraction_t){0, 1}, (fraction_t){900, 1000}, 100);

    (void)state;
    assert_int_equal(bound.goal.identity.numerator, 9);
    assert_int_equal(bound.goal.identity.denominator, 10);
    assert_int_equal(bound.n, 101);
    assert_int_equal(bound.max_edits[0], 0);
    assert_int_equal(bound.max_edits[8], 0);
    assert_int_equal(bound.max_edits[9], 1);
    assert_int_equal(bound.max_edits[89], 9);
    assert_int_equal(bound.max_edits[90], 10);
    assert_int_equal(bound.max_edits[100], 11);
    edit_filter_bound_free(&bound);
    bound = bound_of(ENDS_COUNT, (fraction_t){0, 1}, (fraction_t){1, 1}, 50);
    assert_int_equal(bound.max_edits[50], 0);
    edit_filter_bound_free(&bound);
    bound = bound_of(ENDS_COUNT, (fraction_t){0, 1}, (fraction_t){1, 3}, 50);
    assert_int_equal(bound.max_edits[50], 100);
    edit_filter_bound_free(&bound);
}

/* 0.333...: each three bases allow six edits; at 0.333...4 one less. */
static void decimals_of_many_digits_are_exact(void **state)
{
    const int64_t unit = INT64_C(1000000000000000000);
    edit_filter_bound_t bound = bound_of(ENDS_FREE, (fraction_t){unit / 3, unit},
                                         (fraction_t){unit / 3, unit}, 100000);

    (void)state;
    assert_int_equal(bound.max_edits[3], 6);
    assert_int_equal(bound.max_edits[100000], 200000);
    assert_int_equal(edit_filter_bound_min_end(&bound, 90000), 10000);
    edit_filter_bound_free(&bound);
    bound =
        bound_of(ENDS_FREE, (fraction_t){1, 2}, (fraction_t){unit / 3 + 1, unit}, 100000);
    assert_int_equal(bound.max_edits[3], 5);
    assert_int_equal(bound.max_edits[100000], 199999);
    edit_filter_bound_free(&bound);
    bound = bound_of(ENDS_FREE, (fraction_t){1, 2}, (fraction_t){1, unit}, 100);
    assert_int_equal(bound.max_edits[100], INT32_MAX);
    assert_int_equal(bound.max_edits[0], 0);
    edit_filter_bound_free(&bound);
}

/* Half of 101 bases are 51 columns; 0.9 of these, rounded up, are 46 matches. */
static void free_ends_require_the_matches_of_the_minimum_overlap(void **state)
{
    edit_filter_bound_t bound =
        bound_of(ENDS_FREE, (fraction_t){1, 2}, (fraction_t){9, 10}, 200);

    (void)state;
    assert_int_equal(edit_filter_bound_min_end(&bound, 101), 46);
    assert_int_equal(edit_filter_bound_min_end(&bound, 100), 45);
    assert_int_equal(edit_filter_bound_min_end(&bound, 1), 1);
    edit_filter_bound_free(&bound);
    bound = bound_of(ENDS_FREE, (fraction_t){0, 1}, (fraction_t){9, 10}, 200);
    assert_int_equal(edit_filter_bound_min_end(&bound, 200), 1);
    edit_filter_bound_free(&bound);
    bound = bound_of(ENDS_QUERY, (fraction_t){1, 2}, (fraction_t){9, 10}, 200);
    assert_int_equal(edit_filter_bound_min_end(&bound, 200), 1);
    edit_filter_bound_free(&bound);
}

static void an_identity_not_above_0_and_at_most_1_is_refused(void **state)
{
    static const fraction_t identities[] = {{0, 1}, {101, 100}, {1, 0}, {-1, 2}};
    align_spec_t spec = {.ends = ENDS_FREE, .min_overlap = {1, 2}};
    edit_filter_bound_t bound;

    (void)state;
    for (int k = 0; k < 4; k++)
        assert_int_equal(edit_filter_bound_create(&spec, identities[k], 10, &bound),
                         ST_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maximum_edits_are_as_worked_by_hand),
        cmocka_unit_test(decimals_of_many_digits_are_exact),
        cmocka_unit_test(free_ends_require_the_matches_of_the_minimum_overlap),
        cmocka_unit_test(an_identity_not_above_0_and_at_most_1_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
