/*
 * test_subset_cpu.c - states found by any number of threads are those of the definition,
 * with the same numbers.
 */
#include "tests/support/unit_test.h"

#include "tests/kernels/automata/subset_case.h"

/* Compare with the definition. @return states */
static int64_t assert_same(const subset_t *s, pool_t *pool)
{
    subset_states_t want = {.keys = {0}}, got = {.keys = {0}};
    int64_t n;
    bool fits;

    assert_int_equal(subset_case_find(&subset_serial_backend, NULL, s, 1 << 20, &want,
                                      &fits),
                     ST_OK);
    assert_true(fits);
    n = (int64_t)(want.keys.len / sizeof(uint64_t)) / s->n_words;
    assert_int_equal(want.next.len, (size_t)(n * s->n_classes) * sizeof(int32_t));
    assert_int_equal(subset_case_find(&subset_cpu_backend, pool, s, n, &got, &fits),
                     ST_OK);
    assert_true(fits);
    assert_int_equal(got.keys.len, want.keys.len);
    assert_memory_equal(got.keys.data, want.keys.data, want.keys.len);
    assert_int_equal(got.next.len, want.next.len);
    assert_memory_equal(got.next.data, want.next.data, want.next.len);
    subset_case_free(&got);
    assert_int_equal(subset_case_find(&subset_cpu_backend, pool, s, n - 1, &got, &fits),
                     ST_OK);
    assert_false(fits); /* one state too many */
    subset_case_free(&got);
    subset_case_free(&want);
    return n;
}

static void states_do_not_depend_on_threads(void **state)
{
    uint64_t rng = 1;
    int64_t n = 0;

    (void)state;
    for (int n_threads = 1; n_threads <= 5; n_threads++) {
        pool_t *pool;

        assert_int_equal(pool_create(n_threads, &pool), ST_OK);
        for (int k = 0; k < 20; k++) {
            nfa_t nfa;
            subset_t s;

            assert_true(subset_case_random(&rng, 1 + k % 6, &nfa, &s));
            n += assert_same(&s, pool);
            subset_free(&s);
            nfa_free(&nfa);
        }
        pool_destroy(pool);
    }
    assert_true(n > 5000);
}

/* 2^16 states and more, of which a round expands some 30,000; and keys of seven words. */
static void many_states_take_several_rounds(void **state)
{
    static const char texts[][SUBSET_CASE_TEXT] = {"(a|b)*a(a|b){15}", "^b.{3}c",
                                                   "x(yz){200}y"};
    pool_t *pool;
    subset_t s;
    nfa_t nfa;

    (void)state;
    assert_int_equal(pool_create(3, &pool), ST_OK);
    assert_true(subset_case_make(texts, 2, &nfa, &s));
    assert_true(assert_same(&s, pool) > 1 << 16);
    subset_free(&s);
    nfa_free(&nfa);
    assert_true(subset_case_make(texts + 2, 1, &nfa, &s));
    assert_int_equal(s.n_words, 7);
    assert_int_equal(assert_same(&s, pool), 403);
    subset_free(&s);
    nfa_free(&nfa);
    pool_destroy(pool);
}

static void a_cancelled_search_stops(void **state)
{
    static const char texts[][SUBSET_CASE_TEXT] = {"(a|b)*a(a|b){40}"};
    const int cancel = 1;
    subset_t s;
    nfa_t nfa;

    (void)state;
    assert_true(subset_case_make(texts, 1, &nfa, &s));
    for (int k = 0; k < 2; k++) {
        const subset_backend_t *row =
            k == 0 ? &subset_serial_backend : &subset_cpu_backend;
        subset_states_t states = {.keys = {0}};
        bool fits;

        assert_int_equal(buf_reserve(&states.keys, (size_t)s.n_words * 8), ST_OK);
        states.keys.len = (size_t)s.n_words * 8;
        subset_begin(&s, true, (void *)states.keys.data);
        assert_int_equal(row->find(NULL, &s, INT32_MAX, &cancel, &states, &fits),
                         ST_ESTOPPED);
        subset_case_free(&states);
    }
    subset_free(&s);
    nfa_free(&nfa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_do_not_depend_on_threads),
        cmocka_unit_test(many_states_take_several_rounds),
        cmocka_unit_test(a_cancelled_search_stops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
