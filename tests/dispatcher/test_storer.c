/*
 * test_storer.c - results reach the log complete and in order, and nobody waits for the
 * disk.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/storer.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { N_MAX = 400, SKIP = 16, WAIT_S = 20 };

/* A log in memory. */
typedef struct {
    job_t base;
    int64_t tasks[N_MAX]; /* [n] in order of arrival */
    int64_t values[N_MAX];
    atomic_int n, n_syncs;
    int n_at_sync;            /* records at the last sync */
    int fails_at;             /* the store that fails, from 0; -1: none */
    bool sync_fails;          /* all of them */
    int delay_us;             /* of a store */
    atomic_bool closed;       /* stores wait until it is open */
    atomic_bool disk_is_slow; /* syncs wait as long as it is */
    atomic_int n_slow;        /* syncs that have waited */
} log_t;

static log_t kept;

static status_t store(job_t *job, int64_t task, int64_t version, const void *data,
                      size_t len)
{
    log_t *l = (log_t *)job;
    int n = atomic_load(&l->n);

    while (atomic_load(&l->closed))
        usleep(200);
    if (l->delay_us > 0)
        usleep((useconds_t)l->delay_us);
    if (n == l->fails_at || len != sizeof(int64_t) || n == N_MAX || version != 2 * task)
        return ST_EIO;
    l->tasks[n] = task;
    l->values[n] = *(const int64_t *)data;
    atomic_store(&l->n, n + 1);
    return ST_OK;
}

static status_t sync_all(job_t *job)
{
    log_t *l = (log_t *)job;

    l->n_at_sync = atomic_load(&l->n);
    if (atomic_load(&l->disk_is_slow))
        atomic_fetch_add(&l->n_slow, 1);
    while (atomic_load(&l->disk_is_slow))
        usleep(200);
    atomic_fetch_add(&l->n_syncs, 1);
    return l->sync_fails ? ST_EIO : ST_OK;
}

static storer_t *start(void)
{
    storer_t *s = NULL;

    assert_int_equal(storer_create(&kept.base, store, sync_all, &s), ST_OK);
    return s;
}

/* Every test finds an empty log that never fails. */
static int empty_log(void **state)
{
    (void)state;
    atomic_store(&kept.n, 0);
    atomic_store(&kept.n_syncs, 0);
    atomic_store(&kept.closed, false);
    atomic_store(&kept.disk_is_slow, false);
    atomic_store(&kept.n_slow, 0);
    kept.n_at_sync = kept.delay_us = 0;
    kept.fails_at = -1;
    kept.sync_fails = false;
    return 0;
}

static int64_t value_of(int64_t task)
{
    return task * task + 7;
}

/* Put a task's result, value_of(task), behind SKIP other bytes. */
static void put(storer_t *s, int64_t task)
{
    buf_t data = {0};
    int64_t value = value_of(task);
    const char head[SKIP] = "head";

    assert_int_equal(buf_append(&data, head, sizeof(head)), ST_OK);
    assert_int_equal(buf_append(&data, &value, sizeof(value)), ST_OK);
    assert_int_equal(storer_put(s, task, 2 * task, &data, SKIP), ST_OK);
    assert_null(data.data); /* the storer's now */
}

/* Some order that is not ascending. */
static int64_t task_at(int i)
{
    return (i * 7919 + 3) % 100003;
}

/* @return whether a number reached `min` in time */
static bool reached(const atomic_int *number, int min)
{
    struct timespec start_t, t;

    clock_gettime(CLOCK_MONOTONIC, &start_t);
    do {
        if (atomic_load(number) >= min)
            return true;
        usleep(500);
        clock_gettime(CLOCK_MONOTONIC, &t);
    } while (t.tv_sec - start_t.tv_sec < WAIT_S);
    return false;
}

static void assert_stored_in_order(int n)
{
    assert_int_equal(atomic_load(&kept.n), n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(kept.tasks[i], task_at(i));
        assert_int_equal(kept.values[i], value_of(task_at(i)));
    }
}

static void results_are_stored_in_order_of_arrival(void **state)
{
    storer_t *s = start();
    int64_t version, task;

    (void)state;
    for (int i = 0; i < N_MAX; i++)
        put(s, task_at(i));
    assert_true(reached(&kept.n, N_MAX));
    assert_int_equal(storer_stop(s, true), ST_OK);
    assert_stored_in_order(N_MAX);
    for (int i = 0; i < N_MAX; i++) {
        assert_true(storer_poll(s, &task, &version));
        assert_int_equal(task, task_at(i));
        assert_int_equal(version, 2 * task);
    }
    assert_false(storer_poll(s, &task, &version));
    storer_destroy(s);
}

static void nothing_is_lost_at_a_stop(void **state)
{
    storer_t *s = start();
    int64_t version, task;
    int n = 0;

    (void)state;
    kept.delay_us = 500;
    for (int i = 0; i < 100; i++)
        put(s, task_at(i));
    assert_int_equal(storer_stop(s, true), ST_OK);
    assert_stored_in_order(100);
    while (storer_poll(s, &task, &version))
        n++;
    assert_int_equal(n, 100);
    storer_destroy(s);
}

static void putting_a_result_never_waits_for_the_disk(void **state)
{
    storer_t *s = start();
    int64_t version, task;

    (void)state;
    atomic_store(&kept.closed, true);
    for (int i = 0; i < 50; i++)
        put(s, task_at(i));
    assert_int_equal(storer_backlog(s), 50 * (SKIP + sizeof(int64_t)));
    assert_false(storer_poll(s, &task, &version));
    assert_int_equal(storer_state(s), ST_OK);
    atomic_store(&kept.closed, false);
    assert_int_equal(storer_stop(s, true), ST_OK);
    assert_int_equal(storer_backlog(s), 0);
    assert_stored_in_order(50);
    storer_destroy(s);
}

static void a_poll_returns_a_task_once_it_is_stored(void **state)
{
    storer_t *s = start();
    int64_t version, task;

    (void)state;
    for (int i = 0; i < 20; i++) {
        put(s, task_at(i));
        while (!storer_poll(s, &task, &version))
            usleep(100);
        assert_int_equal(task, task_at(i));
        assert_int_equal(atomic_load(&kept.n), i + 1);
        assert_int_equal(storer_backlog(s), 0);
    }
    assert_int_equal(storer_stop(s, true), ST_OK);
    storer_destroy(s);
}

static void after_a_failure_nothing_more_is_stored(void **state)
{
    storer_t *s = start();
    int64_t version, task;
    int n = 0;

    (void)state;
    kept.fails_at = 5;
    for (int i = 0; i < 30; i++)
        put(s, task_at(i));
    while (storer_state(s) == ST_OK)
        usleep(100);
    put(s, task_at(30));
    assert_int_equal(storer_state(s), ST_EIO);
    assert_int_equal(storer_stop(s, true), ST_EIO);
    assert_stored_in_order(5);
    assert_int_equal(storer_backlog(s), 0);
    while (storer_poll(s, &task, &version))
        assert_int_equal(task, task_at(n++));
    assert_int_equal(n, 5);
    storer_destroy(s);
}

static void a_stop_syncs_everything(void **state)
{
    storer_t *s = start();

    (void)state;
    for (int i = 0; i < 10; i++)
        put(s, task_at(i));
    assert_int_equal(storer_stop(s, true), ST_OK);
    assert_true(atomic_load(&kept.n_syncs) >= 1);
    assert_int_equal(kept.n_at_sync, 10);
    storer_destroy(s);
}

static void a_stop_can_leave_the_last_sync_to_others(void **state)
{
    storer_t *s = start();

    (void)state;
    for (int i = 0; i < 10; i++)
        put(s, task_at(i));
    assert_int_equal(storer_stop(s, false), ST_OK);
    assert_stored_in_order(10);
    assert_int_equal(atomic_load(&kept.n_syncs), 0);
    storer_destroy(s);
}

static void the_log_is_synced_every_few_seconds(void **state)
{
    storer_t *s = start();

    (void)state;
    put(s, task_at(0));
    assert_true(reached(&kept.n_syncs, 1));
    assert_int_equal(kept.n_at_sync, 1);
    usleep(100000);
    assert_int_equal(storer_stop(s, true), ST_OK);
    assert_int_equal(atomic_load(&kept.n_syncs), 1); /* nothing new: no second one */
    storer_destroy(s);
}

static void results_are_stored_while_a_sync_waits_for_the_disk(void **state)
{
    storer_t *s = start();

    (void)state;
    atomic_store(&kept.disk_is_slow, true);
    put(s, task_at(0));
    assert_true(reached(&kept.n_slow, 1));
    for (int i = 1; i < 10; i++)
        put(s, task_at(i));
    assert_true(reached(&kept.n, 10));
    atomic_store(&kept.disk_is_slow, false);
    assert_int_equal(storer_stop(s, true), ST_OK);
    assert_int_equal(kept.n_at_sync, 10);
    storer_destroy(s);
}

static void a_sync_that_fails_is_a_failure(void **state)
{
    storer_t *s = start();

    (void)state;
    kept.sync_fails = true;
    put(s, task_at(0));
    assert_int_equal(storer_stop(s, true), ST_EIO);
    storer_destroy(s);
}

static void a_storer_without_results_does_not_sync(void **state)
{
    storer_t *s = start();
    int64_t version, task;

    (void)state;
    assert_false(storer_poll(s, &task, &version));
    assert_int_equal(storer_stop(s, true), ST_OK);
    assert_int_equal(storer_stop(s, true), ST_OK); /* a second time does nothing */
    assert_int_equal(atomic_load(&kept.n_syncs), 0);
    storer_destroy(s);
    storer_destroy(NULL);
}

/* A leak checker finds what is not freed. */
static void destroy_stops_it_and_frees_what_nobody_polled(void **state)
{
    storer_t *s = start();

    (void)state;
    for (int i = 0; i < 30; i++)
        put(s, task_at(i));
    storer_destroy(s);
    assert_stored_in_order(30);
}

static void there_is_room_once_the_disk_has_taken_results(void **state)
{
    const size_t of_one = SKIP + sizeof(int64_t);
    storer_t *s = start();

    (void)state;
    assert_true(storer_has_room(s, 1));
    atomic_store(&kept.closed, true);
    put(s, 1);
    put(s, 2);
    assert_false(storer_has_room(s, 2 * of_one));
    assert_true(storer_has_room(s, 2 * of_one + 1));
    atomic_store(&kept.closed, false);
    while (!storer_has_room(s, 1))
        ;
    assert_int_equal(storer_stop(s, true), ST_OK);
    storer_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(results_are_stored_in_order_of_arrival, empty_log),
        cmocka_unit_test_setup(nothing_is_lost_at_a_stop, empty_log),
        cmocka_unit_test_setup(putting_a_result_never_waits_for_the_disk, empty_log),
        cmocka_unit_test_setup(a_poll_returns_a_task_once_it_is_stored, empty_log),
        cmocka_unit_test_setup(after_a_failure_nothing_more_is_stored, empty_log),
        cmocka_unit_test_setup(a_stop_syncs_everything, empty_log),
        cmocka_unit_test_setup(a_stop_can_leave_the_last_sync_to_others, empty_log),
        cmocka_unit_test_setup(the_log_is_synced_every_few_seconds, empty_log),
        cmocka_unit_test_setup(results_are_stored_while_a_sync_waits_for_the_disk,
                               empty_log),
        cmocka_unit_test_setup(a_sync_that_fails_is_a_failure, empty_log),
        cmocka_unit_test_setup(a_storer_without_results_does_not_sync, empty_log),
        cmocka_unit_test_setup(there_is_room_once_the_disk_has_taken_results, empty_log),
        cmocka_unit_test_setup(destroy_stops_it_and_frees_what_nobody_polled, empty_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
