/*
 * test_fraction.c - fractions are parsed, compared and printed exactly.
 */
#include "tests/support/unit_test.h"

#include "io/base/fraction.h"

static void assert_decimal(const char *text, int64_t numerator, int64_t denominator)
{
    fraction_t p = {-1, -1};

    assert_true(fraction_from_decimal(text, &p));
    assert_int_equal(p.numerator, numerator);
    assert_int_equal(p.denominator, denominator);
}

static void decimals_are_read_in_lowest_terms(void **state)
{
    (void)state;
    assert_decimal("0.97", 97, 100);
    assert_decimal("0.9700", 97, 100);
    assert_decimal(".5", 1, 2);
    assert_decimal("0", 0, 1);
    assert_decimal("1.000", 1, 1);
    assert_decimal("0.999999999", 999999999, 1000000000);
}

static void anything_but_a_fraction_from_0_to_1_is_refused(void **state)
{
    static const char *const wrong[] = {"",  ".",  "x",   "1.01", "-0.5",        "97%",
                                        "2", "1 ", "0,9", "..5",  "0.9700000001"};
    static const char *const ratios[] = {"",        "97",          "97/",  "/100",
                                         "101/100", "97/100 ",     "-1/2", "1/0",
                                         "1/-2",    "1/1000000001"};
    fraction_t p = {3, 4};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(fraction_from_decimal(wrong[i], &p));
    for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++)
        assert_false(fraction_from_ratio(ratios[i], &p));
    assert_int_equal(p.numerator, 3);
    assert_int_equal(p.denominator, 4);
}

static void ratios_are_read_as_result_files_contain_them(void **state)
{
    char text[FRACTION_RATIO_BYTES];
    fraction_t p;

    (void)state;
    assert_true(fraction_from_ratio("97/100", &p));
    assert_int_equal(p.numerator, 97);
    assert_int_equal(p.denominator, 100);
    assert_true(fraction_from_ratio("0/1", &p));
    assert_int_equal(p.numerator, 0);
    assert_true(fraction_from_ratio("50/100", &p));
    assert_int_equal(p.denominator, 2);
    assert_string_equal(fraction_to_ratio(&p, text), "1/2");
}

/* In doubles 7/100 * 100 is above 7. */
static void an_equal_identity_reaches_it_and_a_pair_without_columns_does_not(void **state)
{
    fraction_t p = {7, 100}, zero = {0, 1}, none = {0, 0};
    fraction_t fine = {999999999, 1000000000};

    (void)state;
    assert_true(fraction_reached(&p, 7, 100));
    assert_true(fraction_reached(&p, 14, 200));
    assert_false(fraction_reached(&p, 6, 100));
    assert_false(fraction_reached(&p, 7, 101));
    assert_true(fraction_reached(&zero, 0, 1));
    assert_false(fraction_reached(&zero, 0, 0));
    assert_true(fraction_reached(&none, 0, 0));
    assert_true(fraction_reached(&fine, INT32_MAX, INT32_MAX));
    assert_false(fraction_reached(&fine, INT32_MAX - 3, INT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_read_in_lowest_terms),
        cmocka_unit_test(anything_but_a_fraction_from_0_to_1_is_refused),
        cmocka_unit_test(ratios_are_read_as_result_files_contain_them),
        cmocka_unit_test(
            an_equal_identity_reaches_it_and_a_pair_without_columns_does_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
