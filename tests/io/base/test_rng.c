/*
 * test_rng.c - the random number generator: published values, bounds and frequencies.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"

static void splitmix_gives_its_published_values(void **state)
{
    static const uint64_t want[4] = {UINT64_C(6457827717110365317),
                                     UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423),
                                     UINT64_C(4593380528125082431)};
    rng_t rng = rng_seed(1234567);

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_true(rng.s[i] == want[i]);
}

static void xoshiro_gives_its_published_values(void **state)
{
    static const uint64_t want[4] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};
    rng_t rng = {{1, 2, 3, 4}};

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_true(rng_next(&rng) == want[i]);
}

static void the_same_seed_gives_the_same_values(void **state)
{
    rng_t a = rng_seed(42), b = rng_seed(42);

    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_true(rng_next(&a) == rng_next(&b));
}

static void neighbouring_seeds_give_different_values(void **state)
{
    rng_t a = rng_seed(0), b = rng_seed(1);
    int n_equal = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        n_equal += rng_next(&a) == rng_next(&b);
    assert_int_equal(n_equal, 0);
}

static void below_one_is_always_zero(void **state)
{
    rng_t rng = rng_seed(3);

    (void)state;
    for (int i = 0; i < 100; i++)
        assert_true(rng_below(&rng, 1) == 0);
}

static void below_ten_gives_each_value_equally_often(void **state)
{
    rng_t rng = rng_seed(1);
    int count[10] = {0};

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t value = rng_below(&rng, 10);

        assert_true(value < 10);
        count[value]++;
    }
    for (int k = 0; k < 10; k++)
        assert_in_range(count[k], 9500, 10500); /* five standard deviations */
}

/* A plain remainder would give a value below 2^62 half of the time instead of a third. */
static void below_a_huge_number_is_unbiased(void **state)
{
    uint64_t n = UINT64_C(3) << 62;
    rng_t rng = rng_seed(1);
    int n_low = 0;

    (void)state;
    for (int i = 0; i < 30000; i++) {
        uint64_t value = rng_below(&rng, n);

        assert_true(value < n);
        n_low += value < UINT64_C(1) << 62;
    }
    assert_in_range(n_low, 9600, 10400);
}

static void a_chance_of_one_in_four_comes_once_in_four(void **state)
{
    rng_t rng = rng_seed(1);
    int n_true = 0;

    (void)state;
    for (int i = 0; i < 100000; i++)
        n_true += rng_chance(&rng, 1, 4);
    assert_in_range(n_true, 24300, 25700);
}

static void a_chance_of_0_never_comes_and_of_1_always(void **state)
{
    rng_t rng = rng_seed(1);

    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_false(rng_chance(&rng, 0, 100));
        assert_true(rng_chance(&rng, 100, 100));
    }
}

static void each_order_of_a_shuffle_comes_equally_often(void **state)
{
    rng_t rng = rng_seed(1);
    int count[27] = {0};

    (void)state;
    for (int i = 0; i < 60000; i++) {
        int32_t v[] = {0, 1, 2};

        rng_shuffle(&rng, v, 3);
        assert_int_equal(1 << v[0] | 1 << v[1] | 1 << v[2], 7);
        count[9 * v[0] + 3 * v[1] + v[2]]++;
    }
    for (int k = 0; k < 27; k++)
        if (count[k] > 0)
            assert_in_range(count[k], 9500, 10500);
    assert_true(count[5] > 0 && count[7] > 0 && count[11] > 0 && count[15] > 0 &&
                count[19] > 0 && count[21] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix_gives_its_published_values),
        cmocka_unit_test(xoshiro_gives_its_published_values),
        cmocka_unit_test(the_same_seed_gives_the_same_values),
        cmocka_unit_test(neighbouring_seeds_give_different_values),
        cmocka_unit_test(below_one_is_always_zero),
        cmocka_unit_test(below_ten_gives_each_value_equally_often),
        cmocka_unit_test(below_a_huge_number_is_unbiased),
        cmocka_unit_test(a_chance_of_one_in_four_comes_once_in_four),
        cmocka_unit_test(a_chance_of_0_never_comes_and_of_1_always),
        cmocka_unit_test(each_order_of_a_shuffle_comes_equally_often),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
