/*
 * test_filter_bound.c - the bounds of filter_bound.h and the vectors of filter_kmers.c,
 * worked by hand.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/filter/filter_backend.h"
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

static void an_identity_is_kept_in_lowest_terms(void **state)
{
    filter_goal_t goal = goal_of(ENDS_COUNT, 970, 1000);

    (void)state;
    assert_int_equal(goal.identity.numerator, 97);
    assert_int_equal(goal.identity.denominator, 100);
    assert_int_equal(filter_goal_max_edits(&goal, 99), 2);
    assert_int_equal(filter_goal_max_edits(&goal, 100), 3);
}

static void an_alignment_without_a_proof_is_refused(void **state)
{
    align_spec_t spec = {.ends = (align_ends_t)(ENDS_PRICED + 1)};
    filter_goal_t goal;

    (void)state;
    assert_int_equal(filter_goal_set(&spec, (fraction_t){97, 100}, &goal), ST_EUSAGE);
}

static void priced_ends_are_bounded_like_free_ones(void **state)
{
    align_spec_t spec = {.ends = ENDS_PRICED, .min_overlap = {2, 3}};
    filter_goal_t goal;

    (void)state;
    align_scoring_set_gap(&spec.scoring, (align_gap_t){-20, -2});
    assert_int_equal(filter_goal_set(&spec, (fraction_t){97, 100}, &goal), ST_OK);
    assert_int_equal(goal.ends, ENDS_FREE);
    assert_int_equal(filter_goal_overlap(&goal, 100), 67);
}

static void counted_ends_bound_lengths(void **state)
{
    filter_goal_t goal = goal_of(ENDS_COUNT, 97, 100);
    int32_t min_len, max_len;

    (void)state;
    filter_goal_partner_lens(&goal, 100, &min_len, &max_len);
    assert_int_equal(min_len, 97);
    assert_int_equal(max_len, 103); /* 100/103 = 0.9709, 100/104 = 0.9615 */
    filter_goal_partner_lens(&goal, 0, &min_len, &max_len);
    assert_true(min_len > max_len);
}

/* A target may be longer by any length, but not shorter than the query's matches. */
static void the_querys_ends_bound_the_target_from_below(void **state)
{
    filter_goal_t goal = goal_of(ENDS_QUERY, 97, 100);
    int32_t min_len, max_len;

    (void)state;
    filter_goal_partner_lens(&goal, 100, &min_len, &max_len);
    assert_int_equal(min_len, 97);
    assert_int_equal(max_len, INT32_MAX);
    filter_goal_partner_lens(&goal, 101, &min_len, &max_len);
    assert_int_equal(min_len, 98); /* 97/101 = 0.9604 */
    filter_goal_partner_lens(&goal, 0, &min_len, &max_len);
    assert_true(min_len > max_len);
}

/* All bases of the query are in columns: T(100) = 69, whatever the minimum overlap is. */
static void a_query_needs_the_good_windows_of_its_length(void **state)
{
    filter_goal_t goal = goal_of(ENDS_QUERY, 97, 100);
    filter_bound_t bound;
    filter_min_good_t min_good;

    (void)state;
    assert_int_equal(filter_bound_create(&goal, 8, 1500, &bound), ST_OK);
    min_good = filter_bound_min_good(&goal, &bound, 100);
    assert_int_equal(min_good.any, 69);
    assert_int_equal(min_good.whole, 69);
    for (int k = 0; k < FILTER_BINS; k++)
        assert_int_equal(min_good.bin[k], INT32_MAX);
    filter_bound_free(&bound);
}

/* The demand is T(100) = 69 without a table; the exact range of columns may make it more.
 * 97 of 100 columns match, and 100 of 103. */
static void the_demand_of_a_row_is_as_worked_by_hand(void **state)
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
        (fraction_t){7, 8}; /* an edit in eight columns can spoil every window */
    assert_int_equal(filter_goal_demand(&goal, 8, 100).min_good, INT32_MIN);
    assert_int_equal(filter_goal_demand(&goal, 8, 100).partner_min, 88);
    goal.identity = (fraction_t){0, 1};
    assert_int_equal(filter_goal_demand(&goal, 8, 100).partner_min, 0);
    assert_int_equal(filter_goal_demand(&goal, 8, 100).partner_max, INT32_MAX);
}

/* f(100) = 100 - 8 + 1 - 8 x 3 = 69; f(134) = 134 - 7 - 8 x 4 = 95. */
static void minimum_good_windows_are_as_worked_by_hand(void **state)
{
    filter_goal_t goal = goal_of(ENDS_FREE, 97, 100);
    filter_bound_t bound;

    (void)state;
    assert_int_equal(filter_bound_create(&goal, 8, 200, &bound), ST_OK);
    assert_int_equal(bound.min_good[100], 69);
    assert_int_equal(bound.min_good[99],
                     69); /* f(99) = 76, but there may be 100 columns */
    assert_int_equal(bound.min_good[101], 70);
    assert_int_equal(bound.min_good[133], 95); /* f(133) = 102 */
    filter_bound_free(&bound);
}

/* L = 50 of 100 bases; bins end at 50 + 50 k / 7: 57, 64, 71, 78, 85, 92. */
static void bins_divide_the_overlaps(void **state)
{
    filter_goal_t goal = goal_of(ENDS_FREE, 1, 1);
    filter_bound_t bound;
    filter_min_good_t min_good;

    (void)state;
    assert_int_equal(filter_goal_bin_end(&goal, 100, 0), 57);
    assert_int_equal(filter_goal_bin_end(&goal, 100, 5), 92);
    assert_int_equal(filter_bound_create(&goal, 8, 100, &bound), ST_OK);
    min_good = filter_bound_min_good(&goal, &bound, 100);
    assert_int_equal(min_good.any, 43); /* 50 - 8 + 1 windows, no edits */
    assert_int_equal(min_good.bin[0], 43);
    assert_int_equal(min_good.bin[1], 51);
    assert_int_equal(min_good.whole, 86);
    goal.min_overlap = (fraction_t){1, 1};
    min_good = filter_bound_min_good(&goal, &bound, 100);
    assert_int_equal(min_good.any, 93);
    assert_int_equal(min_good.bin[0], INT32_MAX);
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
    assert_int_equal(bits_of(&m, 2), 6); /* three windows with R, which is A or G */
    assert_int_equal(m.kmers->seqs[2].excess, 0);
    assert_int_equal(bits_of(&m, 3), 0); /* all windows have an N */
    assert_int_equal(m.kmers->seqs[3].dropped, 0);
    /* BBBAC stands for 27 k-mers and is dropped; BBACG for 9, BACGT for 3, ACGTT for 1 */
    assert_int_equal(bits_of(&m, 4), 13);
    assert_int_equal(m.kmers->seqs[4].dropped, 1);
    assert_int_equal(bits_of(&m, 5), 0); /* shorter than a window */
    unmake(&m);
}

static void a_target_demands_nothing_if_the_querys_ends_are_counted(void **state)
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

/* 100 queries of 10 bases, two references of 1000: at least 8 x 1000 bits. */
static void vectors_suit_the_longer_kind_of_sequence(void **state)
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
        cmocka_unit_test(an_identity_is_kept_in_lowest_terms),
        cmocka_unit_test(an_alignment_without_a_proof_is_refused),
        cmocka_unit_test(priced_ends_are_bounded_like_free_ones),
        cmocka_unit_test(counted_ends_bound_lengths),
        cmocka_unit_test(the_querys_ends_bound_the_target_from_below),
        cmocka_unit_test(a_query_needs_the_good_windows_of_its_length),
        cmocka_unit_test(the_demand_of_a_row_is_as_worked_by_hand),
        cmocka_unit_test(minimum_good_windows_are_as_worked_by_hand),
        cmocka_unit_test(bins_divide_the_overlaps),
        cmocka_unit_test(windows_are_counted_as_worked_by_hand),
        cmocka_unit_test(a_target_demands_nothing_if_the_querys_ends_are_counted),
        cmocka_unit_test(vectors_suit_the_longer_kind_of_sequence)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
