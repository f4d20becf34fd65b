/*
 * test_dpc_lex.c - tests of the tokens of a CUDA file.
 */
#include "tests/support/unit_test.h"

#include "tools/dpc/dpc_lex.h"

#include <stdlib.h>
#include <string.h>

/* Scan a text. @return its tokens, separated by blanks; the caller frees them */
static char *tokens_of(const char *text)
{
    char *all = calloc(2 * strlen(text) + 2, 1);
    lex_t lex;

    assert_non_null(all);
    assert_int_equal(lex_scan(text, strlen(text), &lex), ST_OK);
    for (size_t i = 0; i < lex.n; i++) {
        strncat(all, text + lex.all[i].begin, lex.all[i].end - lex.all[i].begin);
        strcat(all, " ");
    }
    lex_free(&lex);
    return all;
}

static void expect(const char *text, const char *want)
{
    char *got = tokens_of(text);

    assert_string_equal(got, want);
    free(got);
}

static void names_numbers_texts_and_marks_are_tokens(void **state)
{
    (void)state;
    expect("a_1=0x1e+2;", "a_1 = 0x1e + 2 ; ");
    expect("x=1.5e-3f+.5+1'000", "x = 1.5e-3f + .5 + 1'000 ");
    expect("p->q::r++ <= \"a \\\" b\"", "p -> q :: r ++ <= \"a \\\" b\" ");
    expect("k<<<g,b>>>(a)", "k <<< g , b > > > ( a ) ");
    expect("a<<=b<<c", "a <<= b << c ");
    expect("'\\'' u8\"x\" R\"d(a)\" )d\" L'c'", "'\\'' u8\"x\" R\"d(a)\" )d\" L 'c' ");
}

static void comments_are_none(void **state)
{
    (void)state;
    expect("a/* <<< */b // c \\\n d\ne", "a b e ");
    expect("a /* no end", "a ");
}

static void an_open_text_ends_with_its_line(void **state)
{
    (void)state;
    expect("\"abc\nd", "\"abc d ");
    expect("R\"(abc", "R\"(abc ");
    expect("\"a\\", "\"a\\ ");
}

static void directives_are_marked_to_the_end_of_continued_lines(void **state)
{
    static const char text[] = "a\n# define X \\\n b\nc # d\n";
    lex_t lex;

    (void)state;
    assert_int_equal(lex_scan(text, strlen(text), &lex), ST_OK);
    assert_int_equal(lex.n, 8);
    assert_false(lex.all[0].in_directive);
    assert_true(lex.all[1].is_first && lex.all[4].in_directive);
    assert_false(lex.all[5].in_directive || lex.all[6].is_first);
    assert_int_equal(lex_directive_end(&lex, 1), 5);
    assert_int_equal(lex.all[4].line, 3);
    assert_int_equal(lex_before(&lex, 5), 0);
    lex_free(&lex);
}

static void brackets_close_at_their_own_kind_of_line(void **state)
{
    static const char text[] = "f(a[1]\n#define Z )\n, {b})";
    lex_t lex;

    (void)state;
    assert_int_equal(lex_scan(text, strlen(text), &lex), ST_OK);
    assert_int_equal(lex_close(&lex, 1), lex.n - 1);
    assert_int_equal(lex_close(&lex, 3), 5);
    assert_true(lex_is(&lex, lex_at(&lex, 5), "]"));
    assert_int_equal(lex_close(&lex, lex.n), lex.n);
    lex_free(&lex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_numbers_texts_and_marks_are_tokens),
        cmocka_unit_test(comments_are_none),
        cmocka_unit_test(an_open_text_ends_with_its_line),
        cmocka_unit_test(directives_are_marked_to_the_end_of_continued_lines),
        cmocka_unit_test(brackets_close_at_their_own_kind_of_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
