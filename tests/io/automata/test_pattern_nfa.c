/*
 * test_pattern_nfa.c - positions of patterns, their roles and edges.
 */
#include "tests/support/unit_test.h"

#include "tests/support/made_patterns.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 512 };

/* Spell an automaton: per position its roles and edges, as "sb0 .1 a": s starts, b
 * begins, a accepts, f finishes. */
static void spell(const char *pattern, char out[TEXT_BYTES])
{
    const char *const texts[] = {pattern, NULL};
    nfa_t nfa = made_patterns(texts);
    int len = 0;

    out[0] = '\0';
    for (int64_t p = 0; p < nfa.n_positions; p++) {
        len += snprintf(out + len, (size_t)(TEXT_BYTES - len), "%s%s%s%s%s",
                        p > 0 ? " " : "", (nfa.role[p] & NFA_STARTS) != 0 ? "s" : "",
                        (nfa.role[p] & NFA_BEGINS) != 0 ? "b" : "",
                        (nfa.role[p] & NFA_ACCEPTS) != 0 ? "a" : "",
                        (nfa.role[p] & NFA_FINISHES) != 0 ? "f" : "");
        for (int64_t e = nfa.first_edge[p]; e < nfa.first_edge[p + 1]; e++)
            len += snprintf(out + len, (size_t)(TEXT_BYTES - len), "%d", nfa.next[e]);
    }
    assert_null(nfa_misfit(&nfa));
    nfa_free(&nfa);
}

static void assert_spelt(const char *pattern, const char *expected)
{
    char text[TEXT_BYTES];

    spell(pattern, text);
    assert_string_equal(text, expected);
}

static void positions_follow_each_other(void **state)
{
    (void)state;
    assert_spelt("abc", "s1 2 a");
    assert_spelt("ab|cd", "s1 a s3 a");
    assert_spelt("a(b|cd)e", "s12 4 3 4 a");
    assert_spelt("ab?c", "s12 2 a");
    assert_spelt("ab*c", "s12 12 a");
    assert_spelt("a+b", "s01 a");
    assert_spelt("(ab)*", "s1 a0");
}

static void repeats_are_written_out(void **state)
{
    (void)state;
    assert_spelt("a{3}", "s1 2 a");
    assert_spelt("a{2,}", "s1 a1");
    assert_spelt("a{0,2}b", "s12 2 sa");
    assert_spelt("a{1,3}b", "s13 23 3 a");
    assert_spelt("a{0}b", "sa");
    assert_spelt("(ab){2}", "s1 2 3 a");
}

/* The optional copies of {0,n} are nested, so that each has two edges, not n. */
static void long_repeats_have_few_edges(void **state)
{
    const char *const texts[] = {"xa{0,1000}b", NULL};
    nfa_t nfa = made_patterns(texts);

    (void)state;
    assert_int_equal(nfa.n_positions, 1002);
    assert_int_equal(nfa.n_edges, 2 + 999 * 2 + 1);
    nfa_free(&nfa);
}

static void anchors_bind_positions_to_the_ends_of_a_record(void **state)
{
    (void)state;
    assert_spelt("^ab", "b1 a");
    assert_spelt("ab$", "s1 f");
    assert_spelt("^a|b$", "ba sf");
    assert_spelt("(^|x)a", "s1 ba");
    assert_spelt("(^|x)a(y|$)", "s1 bf2 a");
    assert_spelt("a^b", "s a"); /* never found: nothing leads from a to b */
    assert_spelt("x*^a", "s0 ba");
}

static void never_more_than_the_limits(void **state)
{
    static const struct {
        const char *text;
        int64_t n_positions; /* 0: refused */
    } all[] = {{"(a|b)*a(a|b){40}", 42},
               {".{9999}", 9999},
               {"a{16384}", 16384},
               {"a{16385}", 0},
               {"((((a{65535}){65535}){65535}){65535}){65535}", 0},
               {"((((a{0}){65535}){65535}){65535}){65535}b", 1},
               {"(.|ab|cd){1,3000}", 15000},
               {"(a?){3000}", 0}}; /* each follows all before it */
    nfa_builder_t b = {.n_patterns = 0};

    (void)state;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        const int64_t before = b.n_positions;
        pattern_error_t why = {0, ""};
        status_t st = add_pattern(&b, all[k].text, 0, &why);

        assert_int_equal(st, all[k].n_positions > 0 ? ST_OK : ST_EINPUT);
        if (st == ST_OK)
            assert_int_equal(b.n_positions - before, all[k].n_positions);
        else
            assert_non_null(strstr(why.what, "the pattern has more than"));
    }
    nfa_builder_free(&b);
}

/* 2^17 alternatives of two bytes: a deep tree, which is refused by its positions. */
static void deep_trees_do_not_exhaust_the_stack(void **state)
{
    enum { N = 1 << 17 };
    char *text = malloc(3 * N + 1);
    nfa_builder_t b = {.n_patterns = 0};
    pattern_error_t why = {0, ""};

    (void)state;
    assert_non_null(text);
    for (int k = 0; k < N; k++)
        memcpy(text + 3 * k, "ab|", 3);
    text[3 * N - 1] = '\0';
    assert_int_equal(add_pattern(&b, text, 0, &why), ST_EINPUT);
    memset(text, 'a', NFA_MAX_POSITIONS);
    text[NFA_MAX_POSITIONS] = '\0';
    assert_int_equal(add_pattern(&b, text, 0, &why), ST_OK);
    nfa_builder_free(&b);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_follow_each_other),
        cmocka_unit_test(repeats_are_written_out),
        cmocka_unit_test(long_repeats_have_few_edges),
        cmocka_unit_test(anchors_bind_positions_to_the_ends_of_a_record),
        cmocka_unit_test(never_more_than_the_limits),
        cmocka_unit_test(deep_trees_do_not_exhaust_the_stack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
