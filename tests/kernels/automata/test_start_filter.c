/*
 * test_start_filter.c - the filter has all points that the bytes at a place allow, of few
 * values and of many, and leaves out what would be everywhere.
 */
#include "tests/support/unit_test.h"

#include "kernels/automata/start_filter.h"
#include "tests/support/made_patterns.h"

#include <stdlib.h>

/* @return whether the keys at a place have a point */
static bool has_point(const start_filter_t *f, uint32_t word, int32_t point)
{
    for (unsigned masks = start_filter_masks(f, word); masks != 0; masks &= masks - 1) {
        const start_slot_t *slot =
            start_filter_slot(f, word, f->masks[__builtin_ctz(masks)]);

        for (int32_t k = 0; slot != NULL && k < slot->n; k++)
            if (f->listed[slot->first + k] == point)
                return true;
    }
    return false;
}

static void no_point_is_missed(void **state)
{
    static const char *const texts[] = {"abca", "[ab]c",     "a.*cb", "b.bc", "ca",
                                        "^cb",  "e[^a]{3}b", "..ac",  "a",    NULL};
    char bytes[2001];
    uint64_t rng = 1;
    start_filter_t f;
    nfa_t nfa = made_patterns(texts);
    int64_t n_passed = 0;

    (void)state;
    assert_int_equal(start_filter_create(&nfa, NULL, &f), ST_OK);
    assert_int_equal(f.anywhere.len, 0);
    assert_int_equal(f.n_points, 10); /* a start each, and a loop */
    pattern_texts_fill(&rng, bytes, sizeof(bytes) - 1);
    for (int64_t at = 0; at < (int64_t)sizeof(bytes) - 1; at++) {
        const uint8_t *here = (const uint8_t *)bytes + at;
        const int64_t n = (int64_t)sizeof(bytes) - 1 - at;
        const uint32_t word = start_filter_word(here, n);

        for (int32_t k = 0; k < f.n_points; k++)
            if (n >= START_FILTER_DEPTH && start_point_passes(&f.points[k], here, n)) {
                n_passed++;
                assert_true(has_point(&f, word, k));
                assert_true(start_filter_passes(&f, word));
            }
    }
    assert_true(n_passed > 1000);
    start_filter_free(&f);
    nfa_free(&nfa);
}

/* Behind the end of a text all bytes are possible, and there may be none. */
static void a_text_may_end_before_four_bytes(void **state)
{
    static const char *const texts[] = {"ab", "abcd", NULL};
    start_filter_t f;
    nfa_t nfa = made_patterns(texts);

    (void)state;
    assert_int_equal(start_filter_create(&nfa, NULL, &f), ST_OK);
    for (int32_t k = 0; k < 2; k++) {
        const bool is_short = f.points[k].pattern == 0;
        const uint8_t bytes[] = "abxx";

        assert_true(start_point_passes(&f.points[k], bytes, 2));
        assert_int_equal(start_point_passes(&f.points[k], bytes, 4), is_short);
        assert_int_equal(has_point(&f, start_filter_word(bytes, 2), k), is_short);
        assert_int_equal(has_point(&f, start_filter_word(bytes, 4), k), is_short);
    }
    start_filter_free(&f);
    nfa_free(&nfa);
}

static void patterns_that_start_anywhere_are_listed_apart(void **state)
{
    static const char *const texts[] = {"[^a]b?", "[a-z][a-z]", "^.*a", "abc", NULL};
    start_filter_t f;
    nfa_t nfa = made_patterns(texts);
    const int32_t group[] = {-1, 0, -1, 0};

    (void)state;
    assert_int_equal(start_filter_create(&nfa, NULL, &f), ST_OK);
    assert_int_equal(f.anywhere.len, sizeof(int32_t));
    assert_int_equal(*(const int32_t *)(const void *)f.anywhere.data, 0);
    assert_int_equal(f.at_begin.len, sizeof(int32_t));
    assert_int_equal(*(const int32_t *)(const void *)f.at_begin.data, 2);
    start_filter_free(&f);
    assert_int_equal(start_filter_create(&nfa, group, &f), ST_OK);
    assert_int_equal(f.n_points, 1); /* the loop of ^.*a */
    start_filter_free(&f);
    nfa_free(&nfa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_point_is_missed),
        cmocka_unit_test(a_text_may_end_before_four_bytes),
        cmocka_unit_test(patterns_that_start_anywhere_are_listed_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
