/*
 * test_nw_key.c - keys keep a cell's three numbers and their order.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "kernels/align/common/nw_key.h"

typedef struct {
    int64_t score, matches, columns;
} triple_t;

static align_spec_t spec_of(align_emit_t emit, int32_t match, int32_t mismatch,
                            int32_t gap)
{
    align_spec_t spec = {.emit = emit, .ends = ENDS_COUNT};

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, match, mismatch, gap);
    return spec;
}

static int64_t key_of(nw_key_t key, triple_t t)
{
    return t.score * (INT64_C(1) << key.score_shift) +
           t.matches * (INT64_C(1) << key.match_shift) - t.columns;
}

static triple_t split(nw_key_t key, int64_t value)
{
    triple_t t;

    nw_key_split(key, value, &t.score, &t.matches, &t.columns);
    return t;
}

static void assert_split(nw_key_t key, triple_t want)
{
    triple_t got = split(key, key_of(key, want));

    assert_true(got.score == want.score);
    assert_true(got.matches == want.matches);
    assert_true(got.columns == want.columns);
}

static void bits_just_hold_the_value(void **state)
{
    (void)state;
    assert_int_equal(nw_key_bits(0), 0);
    assert_int_equal(nw_key_bits(1), 1);
    assert_int_equal(nw_key_bits(255), 8);
    assert_int_equal(nw_key_bits(256), 9);
    assert_int_equal(nw_key_bits(INT64_MAX), 63);
}

/* m + n + 1 = 8 columns take 4 bits, 3 + 1 matches 3 more. */
static void a_layout_holds_all_columns_and_matches(void **state)
{
    align_spec_t spec = spec_of(EMIT_IDENTITY, 4, -5, -7);
    nw_key_t key = nw_key_layout(&spec, 3, 4);

    (void)state;
    assert_int_equal(key.match_shift, 4);
    assert_int_equal(key.score_shift, 7);
    key = nw_key_layout(&spec, 4, 3);
    assert_int_equal(key.match_shift, 4);
    assert_int_equal(key.score_shift, 7);
}

static void without_identity_a_step_is_the_score(void **state)
{
    align_spec_t spec = spec_of(EMIT_SCORE, 4, -5, -7);
    nw_key_t key = nw_key_layout(&spec, 1500, 1500);

    (void)state;
    assert_int_equal(key.score_shift, 0);
    assert_int_equal(nw_key_step(key, -7, 0), -7);
    assert_int_equal(nw_key_step(key, 4, 1), 4);
}

/* Four matches, a mismatch and two gaps: 4*4 - 5 - 2*7 = -3, 4 matches, 7 columns. */
static void steps_add_up_to_the_alignment(void **state)
{
    align_spec_t spec = spec_of(EMIT_IDENTITY, 4, -5, -7);
    nw_key_t key = nw_key_layout(&spec, 6, 6);
    int64_t sum = 4 * nw_key_step(key, 4, 1) + nw_key_step(key, -5, 0) +
                  2 * nw_key_step(key, -7, 0);
    triple_t got = split(key, sum);

    (void)state;
    assert_int_equal(got.score, -3);
    assert_int_equal(got.matches, 4);
    assert_int_equal(got.columns, 7);
}

static void extreme_values_survive_a_split(void **state)
{
    align_spec_t spec = spec_of(EMIT_IDENTITY, 4, -5, -7);
    nw_key_t key = nw_key_layout(&spec, 1500, 1600);

    (void)state;
    assert_split(key, (triple_t){0, 0, 0});
    assert_split(key, (triple_t){0, 0, 1});
    assert_split(key, (triple_t){-1, 0, 0});
    assert_split(key, (triple_t){-1, 1500, 0});
    assert_split(key, (triple_t){-3100 * 7, 0, 3100});
    assert_split(key, (triple_t){1500 * 4, 1500, 1500});
    assert_split(key, (triple_t){-12, 1500, 3100});
}

static triple_t draw(rng_t *rng, int64_t m, int64_t n)
{
    int64_t shorter = m < n ? m : n;
    uint64_t spread = rng_chance(rng, 1, 2) ? 3 : 20001; /* many ties, or hardly any */

    return (triple_t){(int64_t)rng_below(rng, spread) - (int64_t)spread / 2,
                      (int64_t)rng_below(rng, (uint64_t)shorter + 1),
                      (int64_t)rng_below(rng, (uint64_t)(m + n) + 1)};
}

static int compare(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int compare_triples(triple_t x, triple_t y)
{
    if (x.score != y.score)
        return compare(x.score, y.score);
    if (x.matches != y.matches)
        return compare(x.matches, y.matches);
    return compare(y.columns, x.columns);
}

static void keys_split_and_sort_like_their_triples(void **state)
{
    align_spec_t spec = spec_of(EMIT_IDENTITY, 4, -5, -7);
    rng_t rng = rng_seed(1);

    (void)state;
    for (int k = 0; k < 200000; k++) {
        int64_t m = 1 + (int64_t)rng_below(&rng, k % 2 == 0 ? 3 : 2000);
        int64_t n = 1 + (int64_t)rng_below(&rng, k % 2 == 0 ? 3 : 2000);
        nw_key_t key = nw_key_layout(&spec, m, n);
        triple_t x = draw(&rng, m, n), y = draw(&rng, m, n);

        assert_split(key, x);
        assert_split(key, y);
        assert_int_equal(compare(key_of(key, x), key_of(key, y)), compare_triples(x, y));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_just_hold_the_value),
        cmocka_unit_test(a_layout_holds_all_columns_and_matches),
        cmocka_unit_test(without_identity_a_step_is_the_score),
        cmocka_unit_test(steps_add_up_to_the_alignment),
        cmocka_unit_test(extreme_values_survive_a_split),
        cmocka_unit_test(keys_split_and_sort_like_their_triples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
