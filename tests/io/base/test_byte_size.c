/*
 * test_byte_size.c - sizes in bytes for people.
 */
#include "tests/support/unit_test.h"

#include "io/base/byte_size.h"

static void assert_text(double bytes, const char *want)
{
    char text[BYTE_SIZE_TEXT_BYTES];

    assert_string_equal(byte_size_text(bytes, text), want);
}

static void small_sizes_are_bytes(void **state)
{
    (void)state;
    assert_text(0, "0 bytes");
    assert_text(1, "1 byte");
    assert_text(2, "2 bytes");
    assert_text(1023, "1023 bytes");
}

static void larger_sizes_have_the_unit_that_fits(void **state)
{
    (void)state;
    assert_text(1024, "1 KiB");
    assert_text(1536, "1.5 KiB");
    assert_text(21240, "20.7 KiB");
    assert_text(1 << 20, "1 MiB");
    assert_text(256.0 * (1 << 30), "256 GiB");
    assert_text(1.25 * (1 << 30), "1.2 GiB");
    assert_text(1024.0 * (1 << 30), "1 TiB");
    assert_text(9.3e18, "8.1 EiB");
    assert_text(1e22, "8673.6 EiB");
}

/* 1023.96 KiB would print as 1024.0 KiB. */
static void no_size_rounds_up_to_1024_of_its_unit(void **state)
{
    (void)state;
    assert_text((1 << 20) - 40, "1 MiB");
    assert_text((1 << 20) - 100, "1023.9 KiB");
}

static void sizes_have_units(void **state)
{
    static const char *const bad[] = {"", "G", "1X", "1GB", "-1", "1.5G", "9000000000G"};
    int64_t bytes;

    (void)state;
    assert_true(byte_size_parse("0", &bytes));
    assert_int_equal(bytes, 0);
    assert_true(byte_size_parse("3K", &bytes));
    assert_int_equal(bytes, 3072);
    assert_true(byte_size_parse("2T", &bytes));
    assert_int_equal(bytes, INT64_C(1) << 41);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(byte_size_parse(bad[i], &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sizes_are_bytes),
        cmocka_unit_test(larger_sizes_have_the_unit_that_fits),
        cmocka_unit_test(sizes_have_units),
        cmocka_unit_test(no_size_rounds_up_to_1024_of_its_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
