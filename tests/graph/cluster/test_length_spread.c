/*
 * test_length_spread.c - unit tests of finding fragments by their lengths.
 */
#include "tests/support/unit_test.h"

#include "graph/cluster/cluster_methods.h"

static void assert_spread(int64_t *lengths, int64_t n, int64_t median, int64_t min,
                          int64_t n_short)
{
    length_spread_t s = length_spread_of(lengths, n);

    assert_int_equal(s.median, median);
    assert_int_equal(s.min, min);
    assert_int_equal(s.n_short, n_short);
}

static void equal_lengths_have_no_fragment(void **state)
{
    (void)state;
    assert_spread((int64_t[]){7, 7, 7}, 3, 7, 7, 0);
    assert_spread((int64_t[]){1}, 1, 1, 1, 0);
    assert_spread((int64_t[]){0, 0}, 2, 0, 0, 0);
}

static void a_fragment_has_less_than_half_of_the_median(void **state)
{
    (void)state;
    assert_spread((int64_t[]){1500, 750, 1500}, 3, 1500, 750, 0);
    assert_spread((int64_t[]){1500, 749, 1500}, 3, 1500, 749, 1);
    assert_spread((int64_t[]){3, 1501, 751, 750, 1501}, 5, 751, 3, 1);
    assert_spread((int64_t[]){5, 2, 5}, 3, 5, 2, 1); /* 2 < 2.5 */
    assert_spread((int64_t[]){5, 3, 5}, 3, 5, 3, 0);
}

static void the_higher_of_two_middle_lengths_is_the_median(void **state)
{
    (void)state;
    assert_spread((int64_t[]){1500, 73}, 2, 1500, 73, 1);
    assert_spread((int64_t[]){73, 1400, 1500, 80}, 4, 1400, 73, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_lengths_have_no_fragment),
        cmocka_unit_test(a_fragment_has_less_than_half_of_the_median),
        cmocka_unit_test(the_higher_of_two_middle_lengths_is_the_median),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
