/*
 * test_export_out.c - how numbers are formatted, and what happens if writing fails.
 */
#include "tests/support/unit_test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/export/export_out.h"
#include "tests/support/captured_log.h"

static FILE *out;
static char *written;
static size_t n_written;

static int open_out(void **state)
{
    (void)state;
    return (out = open_memstream(&written, &n_written)) == NULL;
}

static int close_out(void **state)
{
    (void)state;
    fclose(out);
    free(written);
    return 0;
}

static void assert_out(const char *want)
{
    putc('\0', out);
    assert_int_equal(export_out_flush(out), ST_OK);
    assert_string_equal(written, want);
    rewind(out);
}

static void assert_fraction(int64_t numerator, int64_t denominator, int digits,
                            const char *want)
{
    export_out_fraction(out, numerator, denominator, digits);
    assert_out(want);
}

static void fractions_are_rounded_to_nearest(void **state)
{
    (void)state;
    assert_fraction(0, 7, 8, "0.00000000");
    assert_fraction(1, 3, 8, "0.33333333");
    assert_fraction(2, 3, 8, "0.66666667");
    assert_fraction(1, 8, 2, "0.13"); /* 0.125: halves go up */
    assert_fraction(3, 100, 8, "0.03000000");
    assert_fraction(7, 7, 8, "1.00000000");
    assert_fraction(999999999, 1000000000, 8, "1.00000000");
    assert_fraction(5, 2, 1, "2.5");
    assert_fraction(1, 1000, 1, "0.0");
    assert_fraction(INT64_C(2147483646), INT64_C(2147483647), 9, "1.000000000");
    assert_fraction(INT64_C(1073741823), INT64_C(2147483646), 9, "0.500000000");
}

static void evalues_and_bits_are_printed_as_by_blastp(void **state)
{
    static const struct {
        double value;
        const char *want;
    } evalues[] = {{-1, "-1"},           {0, "0.0"},       {7.071e-147, "7.07e-147"},
                   {0.0004, "4.00e-04"}, {0.046, "0.046"}, {0.54, "0.54"},
                   {5.23, "5.2"},        {138.4, "138"}},
      bits[] = {{0, "0"},        {-0.7, "0"},    {8.14, "8.1"},
                {99.84, "99.8"}, {415.6, "415"}, {123456, "1.235e+05"}};

    (void)state;
    for (size_t i = 0; i < sizeof(evalues) / sizeof(evalues[0]); i++) {
        export_out_evalue(out, evalues[i].value);
        assert_out(evalues[i].want);
    }
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        export_out_bits(out, bits[i].value);
        assert_out(bits[i].want);
    }
}

/* 100 x 1 / 16 is 6.25, and 100 x 3 / 16 is 18.75: halves go to the even digit, as in
 * printf. */
static void percentages_have_one_digit(void **state)
{
    (void)state;
    export_out_percent(out, 1, 16);
    assert_out("6.2");
    export_out_percent(out, 3, 16);
    assert_out("18.8");
    export_out_percent(out, 2, 3);
    assert_out("66.7");
    export_out_percent(out, 9, 9);
    assert_out("100.0");
    export_out_percent(out, 0, 0);
    assert_out("0.0");
}

static void percentages_are_formatted_as_by_printf(void **state)
{
    (void)state;
    for (int denominator = 1; denominator < 2000; denominator += 1 + denominator / 100)
        for (int numerator = 0; numerator <= denominator; numerator++) {
            char want[32];

            snprintf(want, sizeof(want), "%.1f", 100.0 * numerator / denominator);
            export_out_percent(out, numerator, denominator);
            assert_out(want);
        }
}

static void integers_of_any_size_can_be_written(void **state)
{
    (void)state;
    export_out_int(out, 0);
    export_out_tab_int(out, -2147483648);
    export_out_tab_int(out, INT64_MIN);
    export_out_tab_int(out, INT64_MAX);
    assert_out("0\t-2147483648\t-9223372036854775808\t9223372036854775807");
}

static void a_full_disk_is_logged_once(void **state)
{
    FILE *full = fopen("/dev/full", "w");

    (void)state;
    if (full == NULL)
        skip();
    for (int i = 0; i < BUFSIZ; i++)
        export_out_int(full, i);
    assert_true(ferror(full));
    capture_start();
    assert_int_equal(export_out_flush(full), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged("cannot write the export: ");
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_are_rounded_to_nearest),
        cmocka_unit_test(evalues_and_bits_are_printed_as_by_blastp),
        cmocka_unit_test(percentages_have_one_digit),
        cmocka_unit_test(percentages_are_formatted_as_by_printf),
        cmocka_unit_test(integers_of_any_size_can_be_written),
        cmocka_unit_test(a_full_disk_is_logged_once),
    };

    return cmocka_run_group_tests(tests, open_out, close_out);
}
