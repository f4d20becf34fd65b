/*
 * test_utf8.c - clean text is valid UTF-8 without control characters; the rest is
 * escaped.
 */
#include "tests/support/unit_test.h"

#include "io/base/utf8.h"

#include <string.h>

static bool is_clean(const char *text)
{
    return utf8_is_clean(text, strlen(text));
}

static void check_escaped(const char *text, const char *expected)
{
    buf_t out = {0};

    assert_int_equal(utf8_escape(text, strlen(text), UTF8_NONE, &out), ST_OK);
    assert_int_equal(out.len, strlen(expected));
    if (out.len > 0)
        assert_memory_equal(out.data, expected, out.len);
    buf_free(&out);
}

static void text_of_every_length_of_character_is_clean(void **state)
{
    (void)state;
    assert_true(is_clean(""));
    assert_true(is_clean(" AB001;size=3;~\\"));
    assert_true(is_clean("\xc2\xa0\xc3\xa9\xdf\xbf"));             /* U+A0 E9 7FF */
    assert_true(is_clean("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80")); /* U+800 D7FF E000 */
    assert_true(is_clean("\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf")); /* to 10FFFF */
}

static void control_characters_are_not_clean(void **state)
{
    (void)state;
    assert_false(utf8_is_clean("a\0b", 3));
    assert_false(is_clean("a\tb"));
    assert_false(is_clean("a\n"));
    assert_false(is_clean("\x1b[2J"));
    assert_false(is_clean("\x7f"));
    assert_false(is_clean("\xc2\x80")); /* U+80, the first of C1 */
    assert_false(is_clean("\xc2\x9f")); /* U+9F, the last one */
}

static void bytes_that_are_no_character_are_not_clean(void **state)
{
    (void)state;
    assert_false(is_clean("Jos\xe9"));          /* Latin-1 */
    assert_false(is_clean("\x80"));             /* continues nothing */
    assert_false(is_clean("\xc1\xbf"));         /* overlong, two bytes */
    assert_false(is_clean("\xe0\x9f\xbf"));     /* overlong, three */
    assert_false(is_clean("\xf0\x8f\xbf\xbf")); /* overlong, four */
    assert_false(is_clean("\xed\xa0\x80"));     /* a surrogate */
    assert_false(is_clean("\xf4\x90\x80\x80")); /* U+110000 */
    assert_false(is_clean("\xf5\x80\x80\x80"));
    assert_false(is_clean("\xff"));
}

static void a_character_that_is_cut_off_is_not_clean(void **state)
{
    (void)state;
    assert_false(is_clean("\xc3"));
    assert_false(is_clean("\xe2\x82"));
    assert_false(is_clean("\xf0\x9f\xa6"));
    assert_false(is_clean("\xe2\x82y"));
    assert_false(utf8_is_clean("\xc3\xa9", 1)); /* the length decides */
}

static void bytes_that_are_not_clean_are_escaped_one_by_one(void **state)
{
    (void)state;
    check_escaped("", "");
    check_escaped("\xc3\xa9", "\xc3\xa9");
    check_escaped("Jos\xe9_1", "Jos\\xe9_1");
    check_escaped("a\tb\x1b", "a\\x09b\\x1b");
    check_escaped("\xc2\x85", "\\xc2\\x85");
    check_escaped("\xe2\x82|", "\\xe2\\x82|");
    check_escaped("\xff", "\\xff");
}

static void escaping_twice_is_escaping_once(void **state)
{
    (void)state;
    check_escaped("back\\slash\\", "back\\slash\\");
    check_escaped("Jos\\xe9_1", "Jos\\xe9_1");
}

/* Clang's sanitizer found that a line without bytes had NULL + 0 computed. */
static void an_empty_text_may_be_null(void **state)
{
    buf_t out = {0};

    (void)state;
    assert_int_equal(utf8_escape(NULL, 0, UTF8_NONE, &out), ST_OK);
    assert_int_equal(out.len, 0);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_every_length_of_character_is_clean),
        cmocka_unit_test(control_characters_are_not_clean),
        cmocka_unit_test(bytes_that_are_no_character_are_not_clean),
        cmocka_unit_test(a_character_that_is_cut_off_is_not_clean),
        cmocka_unit_test(bytes_that_are_not_clean_are_escaped_one_by_one),
        cmocka_unit_test(escaping_twice_is_escaping_once),
        cmocka_unit_test(an_empty_text_may_be_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
