/*
 * test_pairs_top.c - the best hits of a query are kept, with all that tie with the last.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/base/rng.h"
#include "io/pairs/write/pairs_top.h"

static pairs_hit_t hit_of(int32_t row, int32_t col, int32_t matches, int32_t columns)
{
    return (pairs_hit_t){
        .row = row, .col = col, .matches = matches, .columns = columns, .strand = 1};
}

static void identity_comes_first_and_matches_second(void **state)
{
    pairs_hit_t a = hit_of(0, 0, 97, 100), b = hit_of(0, 1, 194, 200);
    pairs_hit_t c = hit_of(0, 2, 98, 100), d = hit_of(0, 3, 97, 100);

    (void)state;
    assert_true(pairs_order_compare(PAIRS_BY_IDENTITY, &c, &b) > 0);
    assert_true(pairs_order_compare(PAIRS_BY_IDENTITY, &b, &a) > 0);
    assert_true(pairs_order_compare(PAIRS_BY_IDENTITY, &a, &b) < 0);
    assert_int_equal(pairs_order_compare(PAIRS_BY_IDENTITY, &a, &d), 0);
}

/* As with local alignments, of which short ones may have any identity. */
static void by_score_a_long_hit_comes_before_a_short_one_of_higher_identity(void **state)
{
    pairs_hit_t hits[] = {hit_of(0, 0, 12, 12), hit_of(0, 1, 900, 1000),
                          hit_of(0, 2, 11, 11)};
    pairs_hit_t scratch[3];
    pairs_top_t *top = NULL;

    (void)state;
    hits[0].score = 48;
    hits[1].score = 3000;
    hits[2].score = 44;
    assert_int_equal(pairs_top_last(PAIRS_BY_SCORE, hits, 3, 1, scratch).col, 1);
    assert_int_equal(pairs_top_last(PAIRS_BY_IDENTITY, hits, 3, 1, scratch).col, 0);
    assert_int_equal(pairs_top_create(PAIRS_BY_SCORE, 1, 1, &top), ST_OK);
    assert_true(pairs_top_note(top, &hits[0]));
    assert_true(pairs_top_note(top, &hits[1]));
    assert_false(pairs_top_note(top, &hits[2]));
    pairs_top_destroy(top);
}

static void the_last_of_the_best_is_found(void **state)
{
    pairs_hit_t hits[] = {hit_of(0, 0, 1, 2), hit_of(0, 1, 3, 4), hit_of(0, 2, 1, 4),
                          hit_of(0, 3, 3, 4)};
    pairs_hit_t scratch[4];

    (void)state;
    assert_int_equal(pairs_top_last(PAIRS_BY_IDENTITY, hits, 4, 1, scratch).matches, 3);
    assert_int_equal(pairs_top_last(PAIRS_BY_IDENTITY, hits, 4, 2, scratch).matches, 3);
    assert_int_equal(pairs_top_last(PAIRS_BY_IDENTITY, hits, 4, 3, scratch).col, 0);
    assert_int_equal(pairs_top_last(PAIRS_BY_IDENTITY, hits, 4, 4, scratch).col, 2);
}

static void ties_with_the_last_hit_are_noted_and_worse_hits_are_not(void **state)
{
    pairs_hit_t half = hit_of(1, 0, 1, 2), tie = hit_of(1, 2, 1, 2);
    pairs_hit_t third = hit_of(1, 3, 1, 3), better = hit_of(1, 1, 2, 3);
    pairs_hit_t other = hit_of(0, 3, 1, 3);
    pairs_top_t *top = NULL;

    (void)state;
    assert_int_equal(pairs_top_create(PAIRS_BY_IDENTITY, 2, 2, &top), ST_OK);
    assert_true(pairs_top_note(top, &half));
    assert_true(pairs_top_note(top, &half)); /* again: still one hit */
    assert_true(pairs_top_note(top, &third));
    assert_true(pairs_top_note(top, &better));
    assert_false(pairs_top_note(top, &third));
    assert_true(pairs_top_note(top, &tie));
    assert_true(pairs_top_note(top, &other)); /* of another query */
    pairs_top_destroy(top);
}

/* In any order of arrival. */
static void none_of_the_best_is_rejected(void **state)
{
    enum { N = 300, TOP = 7 };
    rng_t rng = rng_seed(1);

    (void)state;
    for (int round = 0; round < 50; round++) {
        pairs_hit_t hits[N], scratch[N], last;
        pairs_top_t *top = NULL;
        int n_noted = 0;

        assert_int_equal(pairs_top_create(PAIRS_BY_IDENTITY, 1, TOP, &top), ST_OK);
        for (int k = 0; k < N; k++) {
            int32_t columns = 1 + (int32_t)rng_below(&rng, 40);

            hits[k] = hit_of(0, k, (int32_t)rng_below(&rng, (uint64_t)columns), columns);
        }
        last = pairs_top_last(PAIRS_BY_IDENTITY, hits, N, TOP, scratch);
        for (int k = 0; k < N; k++) {
            bool noted = pairs_top_note(top, &hits[k]);

            assert_true(noted ||
                        pairs_order_compare(PAIRS_BY_IDENTITY, &hits[k], &last) < 0);
            n_noted += noted;
        }
        assert_in_range(n_noted, TOP, N / 2);
        pairs_top_destroy(top);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_comes_first_and_matches_second),
        cmocka_unit_test(by_score_a_long_hit_comes_before_a_short_one_of_higher_identity),
        cmocka_unit_test(the_last_of_the_best_is_found),
        cmocka_unit_test(ties_with_the_last_hit_are_noted_and_worse_hits_are_not),
        cmocka_unit_test(none_of_the_best_is_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
