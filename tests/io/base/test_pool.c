/*
 * test_pool.c - the thread pool makes every call of a loop exactly once.
 */
#include "tests/support/unit_test.h"

#include "io/base/pool.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_CALLS = 10000 };

typedef struct {
    atomic_int times[MAX_CALLS];
    atomic_int n_running[16]; /* calls with this thread number; at most one is right */
    atomic_int n_errors;
    int n_threads;
} tally_t;

static tally_t tally;

static void count(void *ctx, int64_t index, int thread)
{
    tally_t *t = ctx;

    if (thread < 0 || thread >= t->n_threads ||
        atomic_fetch_add(&t->n_running[thread], 1) != 0) {
        atomic_fetch_add(&t->n_errors, 1);
        return;
    }
    atomic_fetch_add(&t->times[index], 1);
    atomic_fetch_sub(&t->n_running[thread], 1);
}

static void assert_each_call_made(pool_t *pool, int64_t n)
{
    memset(&tally, 0, sizeof(tally));
    tally.n_threads = pool_n_threads(pool);
    pool_run(pool, n, count, &tally);
    assert_int_equal(tally.n_errors, 0);
    for (int64_t i = 0; i < MAX_CALLS; i++)
        assert_int_equal(tally.times[i], i < n ? 1 : 0);
}

static pool_t *pool_of(int n_threads)
{
    pool_t *pool = NULL;

    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(pool_n_threads(pool), n_threads);
    return pool;
}

static void every_call_is_made_once(void **state)
{
    pool_t *pool = pool_of(4);

    (void)state;
    assert_each_call_made(pool, MAX_CALLS);
    pool_destroy(pool);
}

static void a_pool_runs_many_loops(void **state)
{
    pool_t *pool = pool_of(3);

    (void)state;
    for (int64_t n = 0; n < 300; n++)
        assert_each_call_made(pool, n % 7 * n);
    pool_destroy(pool);
}

static void a_pool_of_one_thread_uses_the_caller_alone(void **state)
{
    pool_t *pool = pool_of(1);

    (void)state;
    assert_each_call_made(pool, 100);
    assert_each_call_made(pool, 0);
    pool_destroy(pool);
}

static void an_empty_loop_makes_no_calls(void **state)
{
    pool_t *pool = pool_of(4);

    (void)state;
    assert_each_call_made(pool, 0);
    assert_each_call_made(pool, 0);
    assert_each_call_made(pool, 1);
    pool_destroy(pool);
}

static void a_pool_may_have_more_threads_than_calls(void **state)
{
    pool_t *pool = pool_of(16);

    (void)state;
    for (int64_t n = 1; n < 20; n++)
        assert_each_call_made(pool, n);
    pool_destroy(pool);
}

/* Chunks of 256 KiB, the last one shorter, and nothing behind it. */
static void a_copy_has_every_byte(void **state)
{
    static unsigned char from[600001], to[600002];
    pool_t *pool;

    (void)state;
    assert_int_equal(pool_create(3, &pool), ST_OK);
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (unsigned char)(i % 251);
    to[sizeof(from)] = 7;
    pool_copy(pool, to, from, sizeof(from));
    assert_memory_equal(to, from, sizeof(from));
    assert_int_equal(to[sizeof(from)], 7);
    pool_copy(pool, to, from, 0);
    pool_copy(NULL, to, from + 1, 2);
    assert_int_equal(to[0], 1);
    assert_int_equal(to[2], 2);
    pool_destroy(pool);
}

static void a_loop_in_the_background_makes_every_call_once(void **state)
{
    static tally_t behind;

    (void)state;
    for (int n_threads = 1; n_threads <= 4; n_threads++) {
        pool_t *pool = pool_of(n_threads);

        for (int round = 0; round < 20; round++) {
            memset(&behind, 0, sizeof(behind));
            behind.n_threads = n_threads;
            pool_begin(pool, MAX_CALLS, count, &behind);
            for (int64_t n = 0; n < 10; n++)
                assert_each_call_made(pool, n * 10);
            pool_finish(pool);
            pool_finish(pool); /* there is none left */
            assert_int_equal(behind.n_errors, 0);
            for (int64_t i = 0; i < MAX_CALLS; i++)
                assert_int_equal(behind.times[i], 1);
        }
        pool_destroy(pool);
    }
}

typedef struct {
    atomic_bool released;
    atomic_int n_released;
} gate_t;

static void wait_at(void *ctx, int64_t index, int thread)
{
    gate_t *gate = ctx;

    (void)index;
    (void)thread;
    while (!atomic_load(&gate->released))
        sched_yield();
    atomic_fetch_add(&gate->n_released, 1);
}

/* Calls in the background that take for ever would hold up a loop that needed their
 * threads. */
static void pool_run_does_not_wait_for_the_background(void **state)
{
    pool_t *pool = pool_of(3);
    gate_t gate = {false, 0};

    (void)state;
    pool_begin(pool, 5, wait_at, &gate);
    for (int64_t n = 0; n < 100; n++)
        assert_each_call_made(pool, n);
    atomic_store(&gate.released, true);
    pool_finish(pool);
    assert_int_equal(gate.n_released, 5);
    pool_destroy(pool);
}

static void a_pool_of_one_thread_makes_background_calls_at_their_end(void **state)
{
    pool_t *pool = pool_of(1);
    gate_t gate = {true, 0};

    (void)state;
    pool_begin(pool, 5, wait_at, &gate);
    assert_each_call_made(pool, 100);
    assert_int_equal(gate.n_released, 0);
    pool_finish(pool);
    assert_int_equal(gate.n_released, 5);
    pool_destroy(pool);
}

static void a_pool_that_never_ran_can_be_destroyed(void **state)
{
    (void)state;
    pool_destroy(pool_of(4));
    pool_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_made_once),
        cmocka_unit_test(a_pool_runs_many_loops),
        cmocka_unit_test(a_pool_of_one_thread_uses_the_caller_alone),
        cmocka_unit_test(an_empty_loop_makes_no_calls),
        cmocka_unit_test(a_pool_may_have_more_threads_than_calls),
        cmocka_unit_test(a_copy_has_every_byte),
        cmocka_unit_test(a_loop_in_the_background_makes_every_call_once),
        cmocka_unit_test(pool_run_does_not_wait_for_the_background),
        cmocka_unit_test(a_pool_of_one_thread_makes_background_calls_at_their_end),
        cmocka_unit_test(a_pool_that_never_ran_can_be_destroyed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
