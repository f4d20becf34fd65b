/*
 * test_halves.c - tests that numbers in halves are read and printed exactly.
 */
#include "tests/support/unit_test.h"

#include "io/base/halves.h"

static int64_t parsed(const char *text)
{
    int64_t halves = 12345;

    assert_true(halves_parse(text, &halves));
    return halves;
}

static void halves_and_whole_numbers_are_read(void **state)
{
    (void)state;
    assert_int_equal(parsed("0"), 0);
    assert_int_equal(parsed("0.5"), 1);
    assert_int_equal(parsed("10.0"), 20);
    assert_int_equal(parsed("-7"), -14);
    assert_int_equal(parsed("-0.5"), -1);
    assert_int_equal(parsed("+3.5"), 7);
    assert_int_equal(parsed("999999999.5"), 1999999999);
}

static void anything_else_is_refused(void **state)
{
    static const char *const wrong[] = {"",    "-",          ".5",    "0.25", "0.50",
                                        "1.",  "1e3",        " 1",    "1 ",   "--1",
                                        "0,5", "1000000000", "0.5.5", "half"};
    int64_t halves = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(halves_parse(wrong[i], &halves));
    assert_int_equal(halves, 7);
}

static void they_are_printed_with_a_half_only_where_there_is_one(void **state)
{
    char text[HALVES_TEXT_BYTES];

    (void)state;
    assert_string_equal(halves_text(0, text), "0");
    assert_string_equal(halves_text(1, text), "0.5");
    assert_string_equal(halves_text(-1, text), "-0.5");
    assert_string_equal(halves_text(-7, text), "-3.5");
    assert_string_equal(halves_text(20, text), "10");
    assert_string_equal(halves_text(INT64_MIN, text), "-4611686018427387904");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_and_whole_numbers_are_read),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(they_are_printed_with_a_half_only_where_there_is_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
