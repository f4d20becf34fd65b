/*
 * test_search_best.c - the best hits of a query are kept, with all that tie with the
 * last, and the best one of a second group.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "kernels/align/search/search_state.h"

#include <string.h>

/* @return the hit at place `top` of the best */
static pairs_hit_t last_of(pairs_order_t order, const pairs_hit_t *hits, int64_t n,
                           int64_t top, pairs_hit_t *scratch)
{
    memcpy(scratch, hits, (size_t)n * sizeof(*hits));
    pairs_order_sort(order, scratch, n);
    return scratch[top - 1];
}

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
    search_best_t *top = NULL;

    (void)state;
    hits[0].score = 48;
    hits[1].score = 3000;
    hits[2].score = 44;
    assert_int_equal(last_of(PAIRS_BY_SCORE, hits, 3, 1, scratch).col, 1);
    assert_int_equal(last_of(PAIRS_BY_IDENTITY, hits, 3, 1, scratch).col, 0);
    assert_int_equal(search_best_create(PAIRS_BY_SCORE, 1, 1, false, &top), ST_OK);
    assert_true(search_best_note(top, 0, &hits[0], 0));
    assert_true(search_best_note(top, 0, &hits[1], 0));
    assert_false(search_best_note(top, 0, &hits[2], 0));
    search_best_destroy(top);
}

static void the_last_of_the_best_is_found(void **state)
{
    pairs_hit_t hits[] = {hit_of(0, 0, 1, 2), hit_of(0, 1, 3, 4), hit_of(0, 2, 1, 4),
                          hit_of(0, 3, 3, 4)};
    pairs_hit_t scratch[4];

    (void)state;
    assert_int_equal(last_of(PAIRS_BY_IDENTITY, hits, 4, 1, scratch).matches, 3);
    assert_int_equal(last_of(PAIRS_BY_IDENTITY, hits, 4, 2, scratch).matches, 3);
    assert_int_equal(last_of(PAIRS_BY_IDENTITY, hits, 4, 3, scratch).col, 0);
    assert_int_equal(last_of(PAIRS_BY_IDENTITY, hits, 4, 4, scratch).col, 2);
}

static void ties_with_the_last_hit_are_noted_and_worse_hits_are_not(void **state)
{
    pairs_hit_t half = hit_of(1, 0, 1, 2), tie = hit_of(1, 2, 1, 2);
    pairs_hit_t third = hit_of(1, 3, 1, 3), better = hit_of(1, 1, 2, 3);
    pairs_hit_t other = hit_of(0, 3, 1, 3);
    search_best_t *top = NULL;

    (void)state;
    assert_int_equal(search_best_create(PAIRS_BY_IDENTITY, 2, 2, false, &top), ST_OK);
    assert_true(search_best_note(top, half.row, &half, 0));
    assert_true(search_best_note(top, half.row, &half, 0)); /* again: still one hit */
    assert_true(search_best_note(top, third.row, &third, 0));
    assert_true(search_best_note(top, better.row, &better, 0));
    assert_false(search_best_note(top, third.row, &third, 0));
    assert_true(search_best_note(top, tie.row, &tie, 0));
    assert_true(search_best_note(top, other.row, &other, 0)); /* of another query */
    search_best_destroy(top);
}

/* @return how many of the hits are among the best */
static int n_among_best(const pairs_hit_t *hits, int n, int64_t n_best)
{
    search_best_t *best = NULL;
    pairs_hit_t last;
    int n_kept = 0;

    assert_int_equal(search_best_create(PAIRS_BY_IDENTITY, 1, n_best, false, &best),
                     ST_OK);
    for (int k = 0; k < n; k++)
        search_best_note(best, 0, &hits[k], 0);
    for (int k = 0; k < n; k++)
        n_kept += !search_best_last(best, 0, &last) ||
                  pairs_order_compare(PAIRS_BY_IDENTITY, &hits[k], &last) >= 0;
    search_best_destroy(best);
    return n_kept;
}

static void the_best_hits_include_ties(void **state)
{
    const pairs_hit_t hits[] = {hit_of(0, 4, 99, 100), hit_of(0, 5, 98, 100),
                                hit_of(0, 9, 98, 100), hit_of(0, 1, 49, 50)};

    (void)state;
    assert_int_equal(n_among_best(hits, 4, 1), 1);
    assert_int_equal(n_among_best(hits, 4, 2), 3);
    assert_int_equal(n_among_best(hits, 4, 9), 4);
    assert_int_equal(n_among_best(hits, 0, 1), 0);
}

/* In any order of arrival. */
static void none_of_the_best_is_rejected(void **state)
{
    enum { N = 300, TOP = 7 };
    rng_t rng = rng_seed(1);

    (void)state;
    for (int round = 0; round < 50; round++) {
        pairs_hit_t hits[N], scratch[N], last;
        search_best_t *top = NULL;
        int n_noted = 0;

        assert_int_equal(search_best_create(PAIRS_BY_IDENTITY, 1, TOP, false, &top),
                         ST_OK);
        for (int k = 0; k < N; k++) {
            int32_t columns = 1 + (int32_t)rng_below(&rng, 40);

            hits[k] = hit_of(0, k, (int32_t)rng_below(&rng, (uint64_t)columns), columns);
        }
        last = last_of(PAIRS_BY_IDENTITY, hits, N, TOP, scratch);
        for (int k = 0; k < N; k++) {
            bool noted = search_best_note(top, 0, &hits[k], 0);

            assert_true(noted ||
                        pairs_order_compare(PAIRS_BY_IDENTITY, &hits[k], &last) < 0);
            n_noted += noted;
        }
        assert_in_range(n_noted, TOP, N / 2);
        search_best_destroy(top);
    }
}

static void there_is_a_last_one_when_all_that_are_wanted_are_there(void **state)
{
    pairs_hit_t half = hit_of(0, 0, 1, 2), third = hit_of(0, 3, 1, 3), last;
    search_best_t *top = NULL;

    (void)state;
    assert_int_equal(search_best_create(PAIRS_BY_IDENTITY, 1, 2, false, &top), ST_OK);
    assert_true(search_best_note(top, 0, &half, 0));
    assert_false(search_best_last(top, 0, &last));
    assert_true(search_best_note(top, 0, &third, 0));
    assert_true(search_best_last(top, 0, &last));
    assert_int_equal(last.columns, 3);
    search_best_forget(top, 0);
    assert_false(search_best_last(top, 0, &last));
    search_best_destroy(top);
}

/* The first and the second best are of group 4: all down to the best of group 5 are kept,
 * until a better one of another group comes. */
static void the_best_hit_of_a_second_group_is_one_of_the_best(void **state)
{
    pairs_hit_t first = hit_of(0, 0, 9, 10), second = hit_of(0, 1, 8, 10), last;
    pairs_hit_t rival = hit_of(0, 2, 5, 10), worse = hit_of(0, 3, 4, 10);
    pairs_hit_t third = hit_of(0, 4, 7, 10);
    search_best_t *best = NULL;

    (void)state;
    assert_int_equal(search_best_create(PAIRS_BY_IDENTITY, 1, 1, true, &best), ST_OK);
    assert_true(search_best_note(best, 0, &second, 4));
    assert_true(search_best_note(best, 0, &first, 4));
    assert_false(search_best_last(best, 0, &last));
    assert_true(search_best_note(best, 0, &rival, 5));
    assert_true(search_best_last(best, 0, &last));
    assert_int_equal(last.matches, 5);
    assert_false(search_best_note(best, 0, &worse, 6));
    assert_true(search_best_note(best, 0, &third, 6));
    assert_true(search_best_last(best, 0, &last));
    assert_int_equal(last.matches, 7);
    assert_false(search_best_note(best, 0, &rival, 5));
    search_best_destroy(best);
}

enum { N_RIVALS = 60 };

/* @return the value at the place of the last of the best among n hits in order, or -1 */
static int32_t last_by_sorting(const pairs_hit_t *sorted, int64_t n, int64_t n_best)
{
    for (int64_t k = 1; k < n; k++)
        if (sorted[k].strand != sorted[0].strand)
            return n_best > n ? -1 : sorted[k + 1 > n_best ? k : n_best - 1].matches;
    return -1;
}

static void rivals_are_found_in_any_order(void **state)
{
    rng_t rng = rng_seed(7);

    (void)state;
    for (int round = 0; round < 300; round++) {
        const int64_t n_best = 1 + round % 5;
        search_best_t *best = NULL;
        pairs_hit_t hits[N_RIVALS], sorted[N_RIVALS], last;

        assert_int_equal(search_best_create(PAIRS_BY_IDENTITY, 1, n_best, true, &best),
                         ST_OK);
        for (int k = 0; k < N_RIVALS; k++) {
            hits[k] = hit_of(0, k, (int32_t)rng_below(&rng, 1000), 1000);
            hits[k].strand = (int32_t)rng_below(&rng, 1 + (uint64_t)round % 4);
            memcpy(sorted, hits, sizeof(hits));
            search_best_note(best, 0, &hits[k], hits[k].strand);
            pairs_order_sort(PAIRS_BY_IDENTITY, sorted, k + 1);
            if (search_best_last(best, 0, &last))
                assert_int_equal(last.matches, last_by_sorting(sorted, k + 1, n_best));
            else
                assert_int_equal(last_by_sorting(sorted, k + 1, n_best), -1);
        }
        search_best_destroy(best);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_comes_first_and_matches_second),
        cmocka_unit_test(by_score_a_long_hit_comes_before_a_short_one_of_higher_identity),
        cmocka_unit_test(the_last_of_the_best_is_found),
        cmocka_unit_test(ties_with_the_last_hit_are_noted_and_worse_hits_are_not),
        cmocka_unit_test(the_best_hits_include_ties),
        cmocka_unit_test(none_of_the_best_is_rejected),
        cmocka_unit_test(there_is_a_last_one_when_all_that_are_wanted_are_there),
        cmocka_unit_test(the_best_hit_of_a_second_group_is_one_of_the_best),
        cmocka_unit_test(rivals_are_found_in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
