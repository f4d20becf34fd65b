/*
 * test_rg_lexer.c - tokens and their places.
 */
#include "tests/support/unit_test.h"

#include "graph/program/rg_lexer.h"

#include <string.h>

/* Assert the next token. @param at  column */
static rg_token_t assert_token(rg_lexer_t *l, rg_token_kind_t kind, const char *text,
                               int line, int column)
{
    rg_token_t t = rg_lexer_next(l);

    assert_int_equal(t.kind, kind);
    assert_int_equal(t.len, strlen(text));
    assert_memory_equal(t.text, text, t.len);
    assert_int_equal(t.at.line, line);
    assert_int_equal(t.at.column, column);
    return t;
}

static rg_lexer_t lexer_of(const char *text)
{
    return rg_lexer_begin(text, strlen(text));
}

static void tokens_have_places(void **state)
{
    rg_lexer_t l = lexer_of("ab // x\n  <= c1/* \n */ 7;");

    (void)state;
    assert_token(&l, TOKEN_NAME, "ab", 1, 1);
    assert_token(&l, TOKEN_SIGN, "<=", 2, 3);
    assert_token(&l, TOKEN_NAME, "c1", 2, 6);
    assert_int_equal(assert_token(&l, TOKEN_INT, "7", 3, 5).value.i, 7);
    assert_token(&l, TOKEN_SIGN, ";", 3, 6);
    assert_token(&l, TOKEN_END, "", 3, 7);
    assert_token(&l, TOKEN_END, "", 3, 7);
}

static void a_point_or_an_exponent_makes_a_real_number(void **state)
{
    rg_lexer_t l = lexer_of("1.5 2e3 4e-1 6.x 9223372036854775807");

    (void)state;
    assert_true(assert_token(&l, TOKEN_REAL, "1.5", 1, 1).value.r == 1.5);
    assert_true(assert_token(&l, TOKEN_REAL, "2e3", 1, 5).value.r == 2000);
    assert_true(assert_token(&l, TOKEN_REAL, "4e-1", 1, 9).value.r == 0.4);
    assert_token(&l, TOKEN_INT, "6", 1, 14);
    assert_token(&l, TOKEN_SIGN, ".", 1, 15);
    assert_token(&l, TOKEN_NAME, "x", 1, 16);
    assert_true(rg_lexer_next(&l).value.i == INT64_MAX);
}

static void what_is_no_token_has_a_reason(void **state)
{
    static const char *const texts[] = {"@",     "1x",   "9223372036854775808",
                                        "1e999", "/* x", "'",
                                        "\x80"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        rg_lexer_t l = lexer_of(texts[i]);
        rg_token_t t = rg_lexer_next(&l);

        assert_int_equal(t.kind, TOKEN_WRONG);
        assert_non_null(t.wrong);
    }
}

static void a_text_may_hold_a_nul(void **state)
{
    rg_lexer_t l = rg_lexer_begin("a\0b", 3);

    (void)state;
    assert_int_equal(rg_lexer_next(&l).kind, TOKEN_NAME);
    assert_int_equal(rg_lexer_next(&l).kind, TOKEN_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_have_places),
        cmocka_unit_test(a_point_or_an_exponent_makes_a_real_number),
        cmocka_unit_test(what_is_no_token_has_a_reason),
        cmocka_unit_test(a_text_may_hold_a_nul),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
