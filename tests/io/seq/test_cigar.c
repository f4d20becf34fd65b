/*
 * test_cigar.c - CIGAR text in both styles.
 */
#include "tests/support/unit_test.h"

#include "io/seq/cigar.h"

#include <stdio.h>

static const uint32_t runs[] = {
    3 << 4 | CIGAR_I, 10 << 4 | CIGAR_EQ, 1 << 4 | CIGAR_X,  2 << 4 | CIGAR_EQ,
    1 << 4 | CIGAR_D, 1 << 4 | CIGAR_X,   12 << 4 | CIGAR_D,
};

static void assert_text(const uint32_t *from, int64_t n, cigar_style_t style,
                        const char *want)
{
    buf_t text = {0};

    assert_int_equal(buf_append(&text, ">", 1), ST_OK);
    assert_int_equal(cigar_append_text(from, n, style, &text), ST_OK);
    assert_int_equal(buf_append(&text, "", 1), ST_OK);
    assert_string_equal((char *)text.data + 1, want);
    buf_free(&text);
}

static void style_eqx_writes_every_run(void **state)
{
    (void)state;
    assert_text(runs, 7, CIGAR_STYLE_EQX, "3I10=1X2=1D1X12D");
    assert_text(runs, 1, CIGAR_STYLE_EQX, "3I");
    assert_text(runs, 0, CIGAR_STYLE_EQX, "");
}

static void style_m_merges_matches_and_mismatches(void **state)
{
    (void)state;
    assert_text(runs, 7, CIGAR_STYLE_M, "3I13M1D1M12D");
    assert_text(runs + 1, 3, CIGAR_STYLE_M, "13M");
    assert_text(runs, 0, CIGAR_STYLE_M, "");
}

static void the_longest_run_is_written_in_full(void **state)
{
    const uint32_t longest[] = {cigar_run(CIGAR_RUN_MAX, CIGAR_EQ),
                                cigar_run(CIGAR_RUN_MAX, CIGAR_X)};

    (void)state;
    assert_int_equal(cigar_run_len(longest[0]), 268435455);
    assert_text(longest, 2, CIGAR_STYLE_EQX, "268435455=268435455X");
    assert_text(longest, 2, CIGAR_STYLE_M, "536870910M");
}

/* Around every change of the number of digits, alone and joined from two runs. */
static void runs_of_any_number_of_digits_are_written(void **state)
{
    (void)state;
    for (int64_t ten = 1; ten <= 100000000; ten *= 10)
        for (int64_t len = ten > 1 ? ten - 1 : 1; len <= ten + 1; len++) {
            const uint32_t three[] = {cigar_run(len, CIGAR_EQ), cigar_run(1, CIGAR_X),
                                      cigar_run(len, CIGAR_D)};
            char want[64];

            snprintf(want, sizeof(want), "%d=1X%dD", (int)len, (int)len);
            assert_text(three, 3, CIGAR_STYLE_EQX, want);
            snprintf(want, sizeof(want), "%dM%dD", (int)len + 1, (int)len);
            assert_text(three, 3, CIGAR_STYLE_M, want);
        }
}

/* BAM: length << 4 | operation, where MIDNSHP=X are 0 to 8. */
static void a_run_is_encoded_as_in_bam_files(void **state)
{
    (void)state;
    assert_int_equal(cigar_run(5, CIGAR_M), 0x50);
    assert_int_equal(cigar_run(5, CIGAR_I), 0x51);
    assert_int_equal(cigar_run(5, CIGAR_D), 0x52);
    assert_int_equal(cigar_run(5, CIGAR_EQ), 0x57);
    assert_int_equal(cigar_run(5, CIGAR_X), 0x58);
    assert_int_equal(cigar_run_op(0x58), CIGAR_X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(style_eqx_writes_every_run),
        cmocka_unit_test(style_m_merges_matches_and_mismatches),
        cmocka_unit_test(runs_of_any_number_of_digits_are_written),
        cmocka_unit_test(the_longest_run_is_written_in_full),
        cmocka_unit_test(a_run_is_encoded_as_in_bam_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
