/*
 * test_batch_split.c - parts follow weights and speeds; where that gains little, one rank
 * is alone.
 */
#include "tests/support/unit_test.h"

#include "worker/cnn/batch_split.h"

#include <math.h>
#include <string.h>

static void parts_are_in_proportion_and_none_is_empty(void **state)
{
    static const struct {
        int64_t batch;
        double weights[3];
        int n;
        int64_t parts[3];
    } cases[] = {
        {128, {3, 1}, 2, {96, 32}},       {128, {1, 1}, 2, {64, 64}},
        {10, {2, 1}, 2, {7, 3}},          {5, {1000, 1}, 2, {4, 1}},
        {3, {1, 1e6, 1}, 3, {1, 1, 1}},   {7, {1, 1, 1}, 3, {3, 2, 2}},
        {100, {1, 98, 1}, 3, {1, 98, 1}}, {4, {1e-9, 1, 1}, 3, {1, 2, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t parts[3];

        batch_split_divide(cases[i].batch, cases[i].weights, cases[i].n, parts);
        for (int r = 0; r < cases[i].n; r++)
            assert_int_equal(parts[r], cases[i].parts[r]);
    }
}

static void a_text_is_auto_or_a_weight_for_each_rank(void **state)
{
    static const char *const good[] = {"auto", "1", "3:1", "1000000:7:12"};
    static const char *const bad[] = {"",     "Auto", "0:1",     "3:",
                                      ":3",   "3::1", "-1:2",    "1.5:1",
                                      "1 :2", "3:1x", "1000001", "nan:1"};
    char why[JOB_OPTS_WHY_BYTES];

    (void)state;
    assert_int_equal(batch_split_check(NULL, why), ST_OK);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(batch_split_check(good[i], why), ST_OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(batch_split_check(bad[i], why), ST_EUSAGE);
        assert_non_null(strstr(why, "give auto, or a whole number"));
    }
}

static void ranks_that_gain_together_take_parts_by_their_speeds(void **state)
{
    static const batch_split_rate_t rates[] = {{300, 0.01}, {100, 5}};
    batch_split_t s = {.lead = 0};
    double gain;

    (void)state;
    assert_int_equal(batch_split_decide(120, rates, 2, 1, &s, &gain), ST_OK);
    assert_false(s.is_alone);
    assert_int_equal(s.lead, 0);
    assert_int_equal(s.parts[0], 90);
    assert_int_equal(s.parts[1], 30);
    assert_int_equal(s.first, 90);
    /* alone 0.4 s, together 0.3 s and 0.01 s for the sums, as rank 0 measured them */
    assert_true(fabs(gain - 0.4 / 0.31) < 1e-12);
    batch_split_free(&s);
}

static void the_fastest_rank_is_alone_where_others_help_less_than_two_percent(
    void **state)
{
    static const batch_split_rate_t slow[] = {{2, 0}, {1000, 0}, {2, 0}},
                                    costly[] = {{300, 0.2}, {300, 0.2}},
                                    just[] = {{1000, 0}, {21, 0}};
    batch_split_t s = {.lead = 0};
    double gain;

    (void)state;
    assert_int_equal(batch_split_decide(1000, slow, 3, 0, &s, &gain), ST_OK);
    assert_true(s.is_alone);
    assert_int_equal(s.lead, 1);
    assert_null(s.parts);
    assert_int_equal(batch_split_decide(120, costly, 2, 0, &s, &gain), ST_OK);
    assert_true(s.is_alone);
    assert_int_equal(s.lead, 0);
    assert_int_equal(batch_split_decide(10210, just, 2, 0, &s, &gain), ST_OK);
    assert_false(s.is_alone);
    assert_int_equal(s.parts[1], 210);
    batch_split_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_in_proportion_and_none_is_empty),
        cmocka_unit_test(a_text_is_auto_or_a_weight_for_each_rank),
        cmocka_unit_test(ranks_that_gain_together_take_parts_by_their_speeds),
        cmocka_unit_test(
            the_fastest_rank_is_alone_where_others_help_less_than_two_percent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
