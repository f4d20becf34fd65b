/*
 * test_rg_sort.c - the order of keys: of integers, real numbers and NaN, and of equal
 * ones.
 */
#include "tests/support/unit_test.h"

#include "graph/program/rg_sort.h"

#include <math.h>

enum { N = 300 };

static rg_set_t made(rg_collection_t kind)
{
    rg_set_t s;

    assert_int_equal(rg_collection_create(&rg_collection_info[kind], N, &s), ST_OK);
    return s;
}

static void assert_order(const rg_set_t *s, const int32_t *want, int n)
{
    assert_int_equal(s->n, n);
    for (int k = 0; k < n; k++)
        assert_int_equal(s->list[s->begin + k], want[k]);
}

static void numbers_ascend(void **state)
{
    static const int64_t ints[] = {5, INT64_MIN, -1, INT64_MAX, 0, -1};
    static const double reals[] = {0.5, -INFINITY, NAN, INFINITY, -0.0, 0, -1e-300};
    rg_set_t s = made(RG_QUEUE);
    rg_sort_t sort = {0};

    (void)state;
    for (int k = 0; k < 6; k++)
        assert_int_equal(rg_sort_add(&sort, false, (rg_value_t){.i = ints[k]}, k), ST_OK);
    assert_int_equal(rg_sort_into(&sort, &s, N), ST_OK);
    assert_order(&s, (const int32_t[]){1, 2, 5, 4, 0, 3}, 6);
    for (int k = 0; k < 7; k++)
        assert_int_equal(rg_sort_add(&sort, true, (rg_value_t){.r = reals[k]}, k), ST_OK);
    assert_int_equal(rg_sort_into(&sort, &s, N), ST_OK);
    assert_order(&s, (const int32_t[]){1, 6, 4, 5, 0, 3, 2}, 7);
    assert_int_equal(rg_sort_into(&sort, &s, N), ST_OK);
    assert_int_equal(s.n, 0);
    rg_sort_free(&sort);
    rg_collection_free(&s);
}

/* More than a short list; each node comes twice, of which an oset keeps the first. */
static void equal_keys_stay_in_order(void **state)
{
    rg_set_t all = made(RG_OMULTISET), once = made(RG_OSET);
    rg_set_t *const out[] = {&all, &once};
    rg_sort_t sort = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2 * N; k++)
            assert_int_equal(rg_sort_add(&sort, false, (rg_value_t){.i = -(k % N) / 10},
                                         k % N),
                             ST_OK);
        assert_int_equal(rg_sort_into(&sort, out[i], N), ST_OK);
    }
    assert_int_equal(all.n, 2 * N);
    assert_int_equal(once.n, N);
    for (int k = 0; k < 10; k++) {
        assert_int_equal(all.list[k], N - 10 + k);
        assert_int_equal(all.list[10 + k], N - 10 + k);
        assert_int_equal(once.list[k], N - 10 + k);
    }
    rg_sort_free(&sort);
    rg_collection_free(&all);
    rg_collection_free(&once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_ascend),
        cmocka_unit_test(equal_keys_stay_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
