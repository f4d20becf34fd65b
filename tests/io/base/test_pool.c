/*
 * test_pool.c - threads that share a loop do every item once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/base/pool.h"

#include <stdatomic.h>
#include <string.h>

enum { ITEMS_MAX = 10000 };

typedef struct {
    atomic_int times[ITEMS_MAX];
    atomic_int at_work[16]; /* a thread; more than one item at a time is an error */
    atomic_int n_errors;
    int n_threads;
} tally_t;

static tally_t tally;

static void count(void *ctx, int64_t item, int thread)
{
    tally_t *t = ctx;

    if (thread < 0 || thread >= t->n_threads ||
        atomic_fetch_add(&t->at_work[thread], 1) != 0) {
        atomic_fetch_add(&t->n_errors, 1);
        return;
    }
    atomic_fetch_add(&t->times[item], 1);
    atomic_fetch_sub(&t->at_work[thread], 1);
}

static void assert_each_item_done(pool_t *pool, int64_t n_items)
{
    memset(&tally, 0, sizeof(tally));
    tally.n_threads = pool_n_threads(pool);
    pool_run(pool, n_items, count, &tally);
    assert_int_equal(tally.n_errors, 0);
    for (int64_t i = 0; i < ITEMS_MAX; i++)
        assert_int_equal(tally.times[i], i < n_items ? 1 : 0);
}

static pool_t *pool_of(int n_threads)
{
    pool_t *pool = NULL;

    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(pool_n_threads(pool), n_threads);
    return pool;
}

static void every_item_is_done_once(void **state)
{
    pool_t *pool = pool_of(4);

    (void)state;
    assert_each_item_done(pool, ITEMS_MAX);
    pool_destroy(pool);
}

static void a_pool_runs_again_and_again(void **state)
{
    pool_t *pool = pool_of(3);

    (void)state;
    for (int64_t n = 0; n < 300; n++)
        assert_each_item_done(pool, n % 7 * n);
    pool_destroy(pool);
}

static void one_thread_is_the_caller_alone(void **state)
{
    pool_t *pool = pool_of(1);

    (void)state;
    assert_each_item_done(pool, 100);
    assert_each_item_done(pool, 0);
    pool_destroy(pool);
}

static void no_items_are_no_work(void **state)
{
    pool_t *pool = pool_of(4);

    (void)state;
    assert_each_item_done(pool, 0);
    assert_each_item_done(pool, 0);
    assert_each_item_done(pool, 1);
    pool_destroy(pool);
}

static void more_threads_than_items_do_no_harm(void **state)
{
    pool_t *pool = pool_of(16);

    (void)state;
    for (int64_t n = 1; n < 20; n++)
        assert_each_item_done(pool, n);
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
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(a_pool_runs_again_and_again),
        cmocka_unit_test(one_thread_is_the_caller_alone),
        cmocka_unit_test(no_items_are_no_work),
        cmocka_unit_test(more_threads_than_items_do_no_harm),
        cmocka_unit_test(a_pool_that_never_ran_can_be_destroyed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
