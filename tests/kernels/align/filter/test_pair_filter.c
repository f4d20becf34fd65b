/*
 * test_pair_filter.c - pair_filter.h: minimum identities per row, and down to which
 * identity a filter is useful. test_filter.c tests that no pair is lost.
 */
#include "tests/support/unit_test.h"

#include "tests/kernels/align/filter/filter_case.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/random_set.h"

enum { N_IDENTITIES = 6 };

static const fraction_t identities[N_IDENTITIES] = {{1, 2},    {80, 100}, {9, 10},
                                                    {97, 100}, {99, 100}, {1, 1}};

/* Draw an identity for each row; sometimes one that rules out all or nothing, or just
 * that of one of the row's pairs. */
static void draw_identities(rng_t *rng, const filter_truth_t *a, int64_t n_rows,
                            fraction_t *out)
{
    for (int64_t row = 0; row < n_rows; row++) {
        int64_t at = row * a->set->n + n_rows +
                     (int64_t)rng_below(rng, (uint64_t)(a->set->n - n_rows));

        out[row] = identities[rng_below(rng, N_IDENTITIES)];
        if (rng_chance(rng, 1, 8))
            out[row] = rng_chance(rng, 1, 2) ? pair_filter_none : pair_filter_every;
        if (rng_chance(rng, 1, 4) && a->results.columns[at] > 0)
            out[row] = (fraction_t){a->results.matches[at], a->results.columns[at]};
    }
}

/* @return how many pairs were ruled out */
static int64_t check_rows(const filter_truth_t *a, pair_filter_t *f, int64_t n_rows,
                          const fraction_t *of_rows, int64_t *n_true)
{
    filter_rect_t rect = {0, n_rows, n_rows, a->set->n};
    filter_case_t actual;
    int64_t n_ruled_out;

    assert_int_equal(pair_filter_set_identities(f, of_rows), ST_OK);
    assert_int_equal(pair_filter_submit(f, &rect, 1), ST_OK);
    assert_true(filter_case_take(f, 1, &actual));
    for (int64_t row = 0; row < n_rows; row++)
        for (int64_t col = n_rows; col < a->set->n; col++) {
            bool reaches = filter_truth_reached(a, row, col, of_rows[row]);
            bool passed = filter_case_holds(&actual, 0, row, col);

            *n_true += reaches;
            if (reaches && !passed)
                fail_msg("pair %d,%d is ruled out at %d/%d", (int)row, (int)col,
                         (int)of_rows[row].numerator, (int)of_rows[row].denominator);
            if (of_rows[row].denominator == 0)
                assert_false(passed);
            if (of_rows[row].numerator == 0)
                assert_true(passed);
        }
    n_ruled_out = actual.counts.n_pairs - actual.counts.n_passed;
    filter_case_free(&actual);
    return n_ruled_out;
}

static void rows_may_have_identities_of_their_own(void **state)
{
    const random_set_opts_t opts = {72, 20, 150, 30};
    rng_t rng = rng_seed(17);
    int64_t n_ruled_out = 0, n_true = 0;
    fraction_t of_rows[72];

    (void)state;
    for (int k = 0; k < 8; k++) {
        align_spec_t spec = random_set_spec(k);
        const filter_shape_t shape = {.n_rows = 20 + k, .per_row_identity = true};
        pair_filter_t *f;
        seqset_t *set;
        filter_truth_t a;

        spec.ends = k % 2 == 0 ? ENDS_QUERY : ENDS_COUNT;
        assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
        assert_true(filter_truth_make(&cpu, pool, set, &spec, &a));
        assert_int_equal(
            pair_filter_create(&(align_context_t){&cpu, pool, set, &spec, {0}},
                               identities[2 + k % 3], shape, &f),
            ST_OK);
        for (int round = 0; round < 3; round++) {
            draw_identities(&rng, &a, shape.n_rows, of_rows);
            n_ruled_out += check_rows(&a, f, shape.n_rows, of_rows, &n_true);
        }
        pair_filter_destroy(f);
        filter_truth_free(&a);
        seqset_destroy(set);
    }
    assert_true(n_ruled_out > 3000 && n_true > 1000);
}

/* 40 random references; the queries are unchanged parts of every other one. */
static void a_filter_is_useful_down_to_where_too_many_pairs_pass(void **state)
{
    static const fraction_t down[] = {{1, 1}, {9, 10}, {1, 2}};
    const filter_shape_t shape = {.n_rows = 20};
    align_spec_t spec = random_set_spec(0);
    rng_t rng = rng_seed(18);
    seqset_builder_t builder = {0};
    uint8_t letters[40][200];
    seqset_t *set;
    int n;

    (void)state;
    spec.ends = ENDS_QUERY;
    for (int i = 0; i < 40 * 200; i++)
        letters[i / 200][i % 200] = (uint8_t)(1 << rng_below(&rng, 4));
    for (int i = 0; i < 60; i++)
        assert_int_equal(seqset_builder_add(&builder, "s", 1,
                                            i < 20 ? letters[2 * i] + 50
                                                   : letters[i - 20],
                                            i < 20 ? 100 : 200),
                         ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_int_equal(pair_filter_reach(&(align_context_t){&cpu, pool, set, &spec, {0}},
                                       shape, down, 3, (fraction_t){1, 8}, &n),
                     ST_OK);
    assert_int_equal(n, 2);
    assert_int_equal(pair_filter_reach(&(align_context_t){&cpu, pool, set, &spec, {0}},
                                       shape, down, 3, (fraction_t){1, 50}, &n),
                     ST_OK); /* one of 40 pairs passes */
    assert_int_equal(n, 0);
    seqset_destroy(set);
}

static void an_identity_not_between_0_and_1_is_refused(void **state)
{
    const random_set_opts_t opts = {4, 10, 20, 30};
    rng_t rng = rng_seed(15);
    seqset_t *set;
    align_spec_t spec = random_set_spec(0);
    pair_filter_t *f;

    (void)state;
    assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
    assert_int_equal(pair_filter_create(&(align_context_t){&cpu, pool, set, &spec, {0}},
                                        (fraction_t){101, 100}, filter_case_triangle, &f),
                     ST_EUSAGE);
    assert_int_equal(pair_filter_create(&(align_context_t){&cpu, pool, set, &spec, {0}},
                                        (fraction_t){1, 0}, filter_case_triangle, &f),
                     ST_EUSAGE);
    assert_int_equal(
        pair_filter_create(&(align_context_t){&cpu, pool, set, &spec, {0}},
                           (fraction_t){1, 1},
                           (filter_shape_t){.n_rows = 2, .per_row_identity = true}, &f),
        ST_EUSAGE); /* ends are free */
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_may_have_identities_of_their_own),
        cmocka_unit_test(a_filter_is_useful_down_to_where_too_many_pairs_pass),
        cmocka_unit_test(an_identity_not_between_0_and_1_is_refused)};

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
