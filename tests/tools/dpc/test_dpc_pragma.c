/*
 * test_dpc_pragma.c - tests of the clauses of `#pragma dp`.
 */
#include "tests/support/unit_test.h"

#include "tools/dpc/dpc_pragma.h"

#include <string.h>

static dp_pragma_t parsed;
static char reason[DP_REASON_BYTES];

static bool parse(const char *text)
{
    return dp_pragma_parse(text, strlen(text), &parsed, reason);
}

static void expect_refusal(const char *text, const char *want)
{
    assert_false(parse(text));
    if (strstr(reason, want) == NULL)
        fail_msg("'%s' is not in '%s'", want, reason);
}

static void all_clauses_are_read(void **state)
{
    (void)state;
    assert_true(parse(" consldt(block) buffer(custom, 256, 1048576) work(item, next) "
                      "threads(128) blocks(26) threshold(32) coarsen(4)"));
    assert_int_equal(parsed.level, DP_BLOCK);
    assert_true(parsed.is_custom);
    assert_int_equal(parsed.per_buffer.len, 3);
    assert_memory_equal(parsed.per_buffer.at, "256", 3);
    assert_int_equal(parsed.total_bytes, 1048576);
    assert_int_equal(parsed.threads, 128);
    assert_int_equal(parsed.blocks, 26);
    assert_int_equal(parsed.threshold, 32);
    assert_int_equal(parsed.coarsen, 4);
    assert_int_equal(parsed.n_work, 2);
    assert_memory_equal(parsed.work[1].at, "next", 4);
}

static void clauses_come_in_any_order_with_comments_and_continued_lines(void **state)
{
    (void)state;
    assert_true(parse("work ( v ) /* a , b */ \\\n  consldt(\twarp ) // blocks(x"));
    assert_int_equal(parsed.level, DP_WARP);
    assert_int_equal(parsed.blocks, 0);
    assert_true(parse("work(v) consldt(grid) buffer(default, size)"));
    assert_false(parsed.is_custom);
    assert_memory_equal(parsed.per_buffer.at, "size", 4);
}

static void two_clauses_are_needed(void **state)
{
    (void)state;
    expect_refusal("", "'consldt' is missing");
    expect_refusal("consldt(block)", "'work' is missing");
    expect_refusal("work(v) threshold(3)", "'consldt' is missing");
}

static void other_words_are_refused(void **state)
{
    (void)state;
    expect_refusal("consltd(block) work(v)", "did you mean consldt?");
    expect_refusal("consldt(thread) work(v)", "give warp, block or grid");
    expect_refusal("consldt(block) work(v) buffer(halloc)", "does not run on GPUs");
    expect_refusal("consldt(block) work(v) buffer(pool)", "give default or custom");
    expect_refusal("consldt(block) work(v) work(w)", "given twice");
    expect_refusal("consldt(block) work(v), threads(3)", "','");
    expect_refusal("consldt(block) work(v) \x01", "'?'");
}

static void numbers_have_limits(void **state)
{
    (void)state;
    expect_refusal("consldt(block) work(v) threads(0)", "from 1 to 1024");
    expect_refusal("consldt(block) work(v) threads(1025)", "from 1 to 1024");
    assert_true(parse("consldt(block) work(v) threads(1024)"));
    expect_refusal("consldt(block) work(v) threads(n)", "threads: give a number");
    expect_refusal("consldt(block) work(v) blocks(99999999999999999999)", "blocks");
    expect_refusal("consldt(block) work(v) buffer(custom, 67108864)", "to 67108863");
    expect_refusal("consldt(block) work(v) buffer(custom, 4, 2147483648)", "totalSize");
    expect_refusal("consldt(block) work(v) buffer(custom, 4, size)", "totalSize");
    expect_refusal("consldt(block) work(3)", "names of variables");
    expect_refusal("consldt(block) work()", "names of variables");
}

static void brackets_have_to_be_closed(void **state)
{
    (void)state;
    expect_refusal("consldt", "'(' is missing");
    expect_refusal("consldt(block", "')' is missing");
    expect_refusal("consldt(block) work(v", "')' is missing");
    expect_refusal("consldt(block) work(v,", "names of variables");
    assert_true(parse("consldt(block) work(v) /* no end"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_clauses_are_read),
        cmocka_unit_test(clauses_come_in_any_order_with_comments_and_continued_lines),
        cmocka_unit_test(two_clauses_are_needed),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(numbers_have_limits),
        cmocka_unit_test(brackets_have_to_be_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
