/*
 * test_filter_bound.c - filter_bound.h and filter_kmers.h, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/filter/filter_kmers.h"
#include "tests/support/random_set.h"

#include <stdlib.h>
#include <string.h>

static filter_goal_t goal_of(align_ends_t ends, int64_t numerator, int64_t denominator)
{
    align_spec_t spec = {.ends = ends, .min_overlap = {1, 2}};
    filter_goal_t goal;

    assert_int_equal(filter_goal_set(&spec, (fraction_t){numerator, denominator}, &goal),
                     ST_OK);
    return goal;
}

static void a_part_is_kept_in_lowest_terms(void **state)
{
    filter_goal_t goal = goal_of(ENDS_COUNT, 970, 1000);

    (void)state;
    assert_int_equal(goal.identity.numerator, 97);
    assert_int_equal(goal.identity.denominator, 100);
    assert_int_equal(filter_goal_max_edits(&goal, 99), 2);
    assert_int_equal(filter_goal_max_edits(&goal, 100), 3);
}

static void counted_ends_bound_lengths(void **state)
{
    filter_goal_t goal = goal_of(ENDS_COUNT, 97, 100);
    int32_t least, most;

    (void)state;
    filter_goal_partner_lens(&goal, 100, &least, &most);
    assert_int_equal(least, 97);
    assert_int_equal(most, 103); /* 100/103 = 0.9709, 100/104 = 0.9615 */
    filter_goal_partner_lens(&goal, 0, &least, &most);
    assert_true(least > most);
}

/* The target may be longer by any length, but no shorter than the query's matches. */
static void the_querys_ends_bound_the_target_from_below(void **state)
{
    filter_goal_t goal = goal_of(ENDS_QUERY, 97, 100);
    int32_t least, most;

    (void)state;
    filter_goal_partner_lens(&goal, 100, &least, &most);
    assert_int_equal(least, 97);
    assert_int_equal(most, INT32_MAX);
    filter_goal_partner_lens(&goal, 101, &least, &most);
    assert_int_equal(least, 98); /* 97/101 = 0.9604 */
    filter_goal_partner_lens(&goal, 0, &least, &most);
    assert_true(least > most);
}

/* All of its letters are in columns: T(100) = 69, whatever the least overlap. */
static void a_query_needs_the_windows_of_its_length(void **state)
{
    filter_goal_t goal = goal_of(ENDS_QUERY, 97, 100);
    filter_bound_t bound;
    filter_min_good_t need;

    (void)state;
    assert_int_equal(filter_bound_create(&goal, 8, 1500, &bound), ST_OK);
    need = filter_bound_min_good(&goal, &bound, 100);
    assert_int_equal(need.any, 69);
    assert_int_equal(need.whole, 69);
    for (int k = 0; k < FILTER_BINS; k++)
        assert_int_equal(need.bin[k], INT32_MAX);
    filter_bound_free(&bound);
}

/* Without a table it is the same, or more: 97 of 100 columns, 100 of 103. */
static void what_a_row_asks_is_as_worked_by_hand(void **state)
{
    filter_goal_t goal = goal_of(ENDS_QUERY, 97, 100);
    filter_bound_t bound;
    filter_demand_t demand = filter_goal_demand(&goal, 8, 100);

    (void)state;
    assert_int_equal(demand.min_good, 69);
    assert_int_equal(demand.partner_min, 97);
    assert_int_equal(filter_goal_demand(&goal, 0, 100).min_good, INT32_MIN);
    assert_int_equal(filter_bound_create(&goal, 8, 1500, &bound), ST_OK);
    for (int64_t len = 1; len <= 1500; len++)
        assert_true(filter_goal_demand(&goal, 8, len).min_good >=
                    filter_bound_min_good(&goal, &bound, len).any);
    filter_bound_free(&bound);
    goal.identity =
        (fraction_t){7, 8}; /* eight windows a difference: none need be left */
    assert_int_equal(filter_goal_demand(&goal, 8, 100).min_good, INT32_MIN);
    assert_int_equal(filter_goal_demand(&goal, 8, 100).partner_min, 88);
    goal.identity = (fraction_t){0, 1};
    assert_int_equal(filter_goal_demand(&goal, 8, 100).partner_min, 0);
    assert_int_equal(filter_goal_demand(&goal, 8, 100).partner_max, INT32_MAX);
}

/* f(100) = 100 - 8 + 1 - 8 x 3 = 69; f(134) = 134 - 7 - 8 x 4 = 95. */
static void windows_left_are_as_worked_by_hand(void **state)
{
    filter_goal_t goal = goal_of(ENDS_FREE, 97, 100);
    filter_bound_t bound;

    (void)state;
    assert_int_equal(filter_bound_create(&goal, 8, 200, &bound), ST_OK);
    assert_int_equal(bound.min_good[100], 69);
    assert_int_equal(bound.min_good[99],
                     69); /* f(99) = 76, but 100 columns are allowed */
    assert_int_equal(bound.min_good[101], 70);
    assert_int_equal(bound.min_good[133], 95); /* f(133) = 102 */
    filter_bound_free(&bound);
}

/* L = 50 of 100; bins end at 50 + 50 k/7: 57, 64, 71, 78, 85, 92. */
static void bins_cut_the_overlaps(void **state)
{
    filter_goal_t goal = goal_of(ENDS_FREE, 1, 1);
    filter_bound_t bound;
    filter_min_good_t need;

    (void)state;
    assert_int_equal(filter_goal_bin_end(&goal, 100, 0), 57);
    assert_int_equal(filter_goal_bin_end(&goal, 100, 5), 92);
    assert_int_equal(filter_bound_create(&goal, 8, 100, &bound), ST_OK);
    need = filter_bound_min_good(&goal, &bound, 100);
    assert_int_equal(need.any, 43); /* 50 - 8 + 1, no edits */
    assert_int_equal(need.bin[0], 43);
    assert_int_equal(need.bin[1], 51);
    assert_int_equal(need.whole, 86);
    goal.min_overlap = (fraction_t){1, 1};
    need = filter_bound_min_good(&goal, &bound, 100);
    assert_int_equal(need.any, 93);
    assert_int_equal(need.bin[0], INT32_MAX);
    filter_bound_free(&bound);
}

typedef struct {
    pool_t *pool;
    seqset_t *set;
    filter_params_t params;
    filter_kmers_t *kmers;
} made_t;

static void make(const char *text, align_ends_t ends, int k, made_t *m)
{
    filter_range_t range = {0};

    m->params = (filter_params_t){.goal = goal_of(ends, 1, 1), .log_bits = 12};
    for (int a = 0; a < CODE_N; a++) /* N matches nothing */
        m->params.set_of[a] = (uint8_t)a;
    assert_int_equal(random_set_spell(text, &m->set), ST_OK);
    range.n = m->set->n;
    assert_int_equal(pool_create(1, &m->pool), ST_OK);
    assert_int_equal(filter_bound_create(&m->params.goal, k, 100, &m->params.bound),
                     ST_OK);
    assert_int_equal(filter_kmers_create(m->pool, m->set, &m->params, range, &m->kmers),
                     ST_OK);
}

static void unmake(made_t *m)
{
    filter_kmers_destroy(m->kmers);
    filter_bound_free(&m->params.bound);
    seqset_destroy(m->set);
    pool_destroy(m->pool);
}

static int bits_of(const made_t *m, int64_t i)
{
    int n = 0;

    for (int k = 0; k < m->kmers->n_words; k++)
        n += __builtin_popcountll(m->kmers->whole[i * m->kmers->n_words + k]);
    return n;
}

static void windows_are_counted_as_worked_by_hand(void **state)
{
    made_t m;

    (void)state;
    make("ACGTACGTA A9 ACGRTCA ACGNTCA BBBACGTT ACGT", ENDS_FREE, 5, &m);
    /* ACGTA CGTAC GTACG TACGT, and ACGTA again */
    assert_int_equal(bits_of(&m, 0), 4);
    assert_int_equal(m.kmers->seqs[0].excess, 1);
    assert_int_equal(bits_of(&m, 1), 1); /* AAAAA, five times */
    assert_int_equal(m.kmers->seqs[1].excess, 4);
    assert_int_equal(bits_of(&m, 2), 6); /* three windows that hold R: A or G */
    assert_int_equal(m.kmers->seqs[2].excess, 0);
    assert_int_equal(bits_of(&m, 3), 0); /* all hold N */
    assert_int_equal(m.kmers->seqs[3].dropped, 0);
    /* BBBAC 27 words: dropped; BBACG 9, BACGT 3, ACGTT 1 */
    assert_int_equal(bits_of(&m, 4), 13);
    assert_int_equal(m.kmers->seqs[4].dropped, 1);
    assert_int_equal(bits_of(&m, 5), 0); /* shorter than a window */
    unmake(&m);
}

static void a_target_asks_nothing_where_the_querys_ends_count(void **state)
{
    made_t m;

    (void)state;
    make("ACGTACGTA", ENDS_QUERY, 5, &m);
    assert_int_equal(m.kmers->n_end_words, 0);
    assert_int_equal(m.kmers->seqs[0].row.min_good, 5);
    assert_int_equal(m.kmers->seqs[0].row.partner_min, 9);
    assert_int_equal(m.kmers->seqs[0].col.min_good, INT32_MIN);
    assert_int_equal(m.kmers->seqs[0].col.partner_min, 0);
    unmake(&m);
    make("ACGTACGTA", ENDS_COUNT, 5, &m);
    assert_int_equal(m.kmers->seqs[0].col.min_good, 5);
    assert_int_equal(m.kmers->seqs[0].col.partner_min, 9);
    unmake(&m);
}

/* 100 queries of 10 letters and two references of 1000: 8 x 1000 bits at least. */
static void bits_suit_the_longer_kind(void **state)
{
    seqset_builder_t builder = {0};
    uint8_t letters[1000];
    seqset_t *set;

    (void)state;
    memset(letters, 1, sizeof(letters));
    for (int i = 0; i < 102; i++)
        assert_int_equal(seqset_builder_add(&builder, "s", 1, letters,
                                            i < 100 ? 10 : 1000),
                         ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_int_equal(filter_kmers_log_bits(set, 100, ENDS_QUERY, INT64_MAX), 13);
    assert_int_equal(filter_kmers_log_bits(set, 0, ENDS_QUERY, INT64_MAX),
                     FILTER_LOG_MIN);
    assert_int_equal(filter_kmers_log_bits(set, 100, ENDS_QUERY, 102 * 512), 12);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_kept_in_lowest_terms),
        cmocka_unit_test(counted_ends_bound_lengths),
        cmocka_unit_test(the_querys_ends_bound_the_target_from_below),
        cmocka_unit_test(a_query_needs_the_windows_of_its_length),
        cmocka_unit_test(what_a_row_asks_is_as_worked_by_hand),
        cmocka_unit_test(windows_left_are_as_worked_by_hand),
        cmocka_unit_test(bins_cut_the_overlaps),
        cmocka_unit_test(windows_are_counted_as_worked_by_hand),
        cmocka_unit_test(a_target_asks_nothing_where_the_querys_ends_count),
        cmocka_unit_test(bits_suit_the_longer_kind)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
