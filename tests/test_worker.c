/*
 * test_worker.c - a worker gives back each task once, whatever its device does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/worker.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N_MOST = 256, ROOM = 24, LIMIT = 4, WAIT_S = 20, NEVER = -1 };

static const double fast = 1e12; /* a guess with which the limit alone cuts batches */

/* A device in name.  What is not atomic belongs to the device thread, or is set before
 * the first task is given. */
typedef struct {
    int64_t on_device[N_MOST], collected[N_MOST];
    int n_on_device;
    int sizes[N_MOST]; /* [n_submits] batches */
    atomic_int n_submits, n_collects, n_packs;
    atomic_bool busy;               /* between submit and the end of collect */
    atomic_int n_packs_while_busy;  /* so many packs overlapped */
    atomic_bool cancelled, ignores; /* and pays no heed */
    int collect_us;                 /* how long a batch takes */
    int hangs_at;                   /* the collect that waits for cancel */
    bool holds_after_collect;       /* cost, then, waits for cancel */
    atomic_int is_held;
    int submit_fails_at, collect_fails_at;
    int64_t pack_fails_of;
    int limit;
} device_sim_t;

static device_sim_t device;

static int64_t cost(const void *job, int64_t task)
{
    const device_sim_t *d = job;

    (void)task;
    if (d->holds_after_collect && atomic_load(&d->n_collects) > 0) {
        atomic_store(&device.is_held, 1);
        while (!atomic_load(&d->cancelled))
            usleep(200);
    }
    return 10;
}

static int batch_limit(const void *job)
{
    return ((const device_sim_t *)job)->limit;
}

static status_t submit(void *job, const int64_t *tasks, int n)
{
    device_sim_t *d = job;
    int at = atomic_load(&d->n_submits);

    if (at == d->submit_fails_at)
        return ST_EDEVICE;
    memcpy(d->on_device, tasks, (size_t)n * sizeof(*tasks));
    d->n_on_device = n;
    d->sizes[at] = n;
    atomic_store(&d->busy, true);
    atomic_store(&d->n_submits, at + 1);
    return ST_OK;
}

static status_t collect(void *job)
{
    device_sim_t *d = job;
    int at = atomic_load(&d->n_collects);

    usleep((useconds_t)d->collect_us);
    while (at == d->hangs_at && (!atomic_load(&d->cancelled) || atomic_load(&d->ignores)))
        usleep(200);
    if (at == d->collect_fails_at)
        return ST_EDEVICE;
    memcpy(d->collected, d->on_device, sizeof(d->collected));
    atomic_store(&d->busy, false);
    atomic_store(&d->n_collects, at + 1);
    return ST_OK;
}

static int64_t value_of(int64_t task)
{
    return task * task + 7;
}

static status_t pack(void *job, int k, int thread, buf_t *out)
{
    device_sim_t *d = job;
    int64_t value = value_of(d->collected[k]);

    (void)thread;
    if (d->collected[k] == d->pack_fails_of)
        return ST_EIO;
    if (atomic_load(&d->busy))
        atomic_fetch_add(&d->n_packs_while_busy, 1);
    atomic_fetch_add(&d->n_packs, 1);
    return buf_append(out, &value, sizeof(value));
}

static void cancel(void *job)
{
    atomic_store(&((device_sim_t *)job)->cancelled, true);
}

static const job_ops_t ops = {.name = "fake",
                              .cost = cost,
                              .batch_limit = batch_limit,
                              .submit = submit,
                              .collect = collect,
                              .pack = pack,
                              .cancel = cancel};

static pool_t *pool;
static worker_t *w;
static int times[N_MOST]; /* that a task came back */

static int begin(void **state)
{
    (void)state;
    memset(&device, 0, sizeof(device));
    memset(times, 0, sizeof(times));
    device.hangs_at = device.submit_fails_at = device.collect_fails_at = NEVER;
    device.pack_fails_of = NEVER;
    device.limit = LIMIT;
    if (pool_create(2, &pool) != ST_OK)
        return -1;
    return worker_create(&ops, &device, pool, fast, ROOM, &w) == ST_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    atomic_store(&device.ignores, false);
    if (w != NULL && !worker_stop(w, WAIT_S))
        return -1;
    worker_destroy(w);
    pool_destroy(pool);
    return 0;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Give tasks first .. first+n-1. */
static void give(int first, int n)
{
    int64_t tasks[N_MOST];

    for (int i = 0; i < n; i++)
        tasks[i] = first + i;
    assert_int_equal(worker_give(w, tasks, n), ST_OK);
}

/* Take a result, if there is one, and look at it. */
static bool take(void)
{
    worker_result_t r;
    int64_t value;

    if (!worker_take(w, &r))
        return false;
    assert_int_equal(r.data.len, ROOM + sizeof(value));
    memcpy(&value, r.data.data + ROOM, sizeof(value));
    memset(r.data.data, 0xff, ROOM); /* the owner's to fill */
    assert_int_equal(value, value_of(r.task));
    times[r.task]++;
    buf_free(&r.data);
    return true;
}

/* @return how many of n results came in time */
static int take_all(int n)
{
    double until = now_s() + WAIT_S;
    int got = 0;

    while (got < n && now_s() < until)
        if (take())
            got++;
        else
            usleep(200);
    return got;
}

static bool reached(const atomic_int *number, int least)
{
    double until = now_s() + WAIT_S;

    while (atomic_load(number) < least && now_s() < until)
        usleep(200);
    return atomic_load(number) >= least;
}

/* @return the state once it is a failure */
static status_t failure(void)
{
    double until = now_s() + WAIT_S;

    while (worker_state(w) == ST_OK && now_s() < until)
        usleep(200);
    return worker_state(w);
}

static void assert_came_once(int n)
{
    for (int i = 0; i < N_MOST; i++)
        assert_int_equal(times[i], i < n ? 1 : 0);
}

static void every_task_comes_back_once(void **state)
{
    (void)state;
    device.collect_us = 1000;
    for (int i = 0; i < N_MOST; i += 32)
        give(i, 32);
    assert_int_equal(take_all(N_MOST), N_MOST);
    assert_false(take());
    assert_came_once(N_MOST);
    assert_int_equal(worker_state(w), ST_OK);
}

static void tasks_given_one_by_one_come_back_too(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        give(i, 1);
        if (i % 3 == 0)
            assert_int_equal(take_all(1), 1);
    }
    assert_int_equal(take_all(66), 66);
    assert_came_once(100);
}

static void a_batch_is_packed_while_the_next_is_on_the_device(void **state)
{
    (void)state;
    device.collect_us = 20000;
    give(0, 4 * LIMIT);
    assert_int_equal(take_all(4 * LIMIT), 4 * LIMIT);
    assert_came_once(4 * LIMIT);
    assert_int_equal(atomic_load(&device.n_submits), 4);
    assert_int_equal(atomic_load(&device.n_packs_while_busy), 3 * LIMIT);
}

static void no_batch_exceeds_the_jobs_limit(void **state)
{
    (void)state;
    device.limit = 7;
    give(0, 100);
    assert_int_equal(take_all(100), 100);
    for (int i = 0; i < atomic_load(&device.n_submits); i++)
        assert_in_range(device.sizes[i], 1, 7);
}

/* At 1000 a second and 10 a task, a tenth of a second holds 10 tasks. */
static void a_batch_is_a_tenth_of_a_second_of_work(void **state)
{
    (void)state;
    assert_true(worker_stop(w, WAIT_S));
    worker_destroy(w);
    w = NULL;
    device.limit = N_MOST;
    device.cancelled = false;
    assert_int_equal(worker_create(&ops, &device, pool, 1000, ROOM, &w), ST_OK);
    give(0, 64);
    assert_int_equal(take_all(64), 64);
    assert_int_equal(device.sizes[0], 10);
    assert_true(device.sizes[1] > 10); /* it was faster than the guess */
}

static void the_rate_is_measured(void **state)
{
    worker_stats_t s;

    (void)state;
    device.collect_us = 20000;
    give(0, 40 * LIMIT);
    assert_int_equal(take_all(40 * LIMIT), 40 * LIMIT);
    s = worker_stats(w);
    assert_int_equal(s.n_tasks, 40 * LIMIT);
    assert_true(s.cost == 10.0 * 40 * LIMIT);
    assert_true(s.busy_s >= 40 * 0.02 && s.busy_s < WAIT_S);
    /* 40 in 0.02 s at most; the first guess is halved away */
    assert_true(s.rate <= 2000 + fast / 1e12 && s.rate > 10);
}

static void a_submit_that_fails_is_told(void **state)
{
    (void)state;
    device.submit_fails_at = 0;
    give(0, LIMIT);
    assert_int_equal(failure(), ST_EDEVICE);
    assert_false(take());
}

static void a_collect_that_fails_is_told(void **state)
{
    (void)state;
    device.collect_fails_at = 2;
    give(0, 5 * LIMIT);
    assert_int_equal(failure(), ST_EDEVICE);
    while (take())
        continue;
    assert_came_once(2 * LIMIT); /* what was packed before is not lost */
    give(200, 1);                /* nobody computes it, and nobody minds */
}

static void a_pack_that_fails_is_told(void **state)
{
    (void)state;
    device.pack_fails_of = LIMIT + 1;
    give(0, 3 * LIMIT);
    assert_int_equal(failure(), ST_EIO);
    while (take())
        continue;
    assert_came_once(LIMIT + 1);
}

static void a_stop_cancels_what_is_on_the_device(void **state)
{
    double start = now_s();

    (void)state;
    device.hangs_at = 0;
    give(0, 3 * LIMIT);
    assert_true(reached(&device.n_submits, 1));
    assert_true(worker_stop(w, WAIT_S));
    assert_true(now_s() - start < WAIT_S / 2);
    assert_false(take()); /* cancelled: not whole */
    assert_int_equal(atomic_load(&device.n_submits), 1);
    assert_int_equal(worker_state(w), ST_OK);
    assert_int_equal(worker_stats(w).n_tasks, 0);
}

static void results_packed_before_a_stop_are_delivered(void **state)
{
    (void)state;
    device.hangs_at = 1;
    give(0, 3 * LIMIT);
    assert_true(reached(&device.n_packs, LIMIT)); /* the first batch's */
    assert_true(worker_stop(w, WAIT_S));
    while (take())
        continue;
    assert_came_once(LIMIT);
}

/* The stop comes when the first batch is collected and not packed yet. */
static void results_collected_before_a_stop_are_delivered(void **state)
{
    (void)state;
    device.holds_after_collect = true;
    give(0, LIMIT);
    assert_true(reached(&device.is_held, 1));
    assert_true(worker_stop(w, WAIT_S));
    while (take())
        continue;
    assert_came_once(LIMIT);
}

static void an_idle_worker_stops_at_once(void **state)
{
    double start = now_s();

    (void)state;
    assert_true(worker_stop(w, WAIT_S));
    assert_true(worker_stop(w, WAIT_S)); /* a second time does nothing */
    assert_true(now_s() - start < WAIT_S / 2);
    assert_int_equal(worker_state(w), ST_OK);
}

static void a_stop_does_not_wait_for_a_device_that_hangs(void **state)
{
    double start, seconds;

    (void)state;
    device.hangs_at = 0;
    atomic_store(&device.ignores, true);
    give(0, LIMIT);
    assert_true(reached(&device.n_submits, 1));
    start = now_s();
    assert_false(worker_stop(w, 1));
    seconds = now_s() - start;
    assert_true(seconds > 0.9 && seconds < WAIT_S / 2);
}

/* A leak checker sees what is not freed. */
static void results_that_nobody_took_are_freed(void **state)
{
    (void)state;
    give(0, LIMIT);
    assert_true(reached(&device.n_packs, LIMIT));
    worker_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_task_comes_back_once),
        TEST(tasks_given_one_by_one_come_back_too),
        TEST(a_batch_is_packed_while_the_next_is_on_the_device),
        TEST(no_batch_exceeds_the_jobs_limit),
        TEST(a_batch_is_a_tenth_of_a_second_of_work),
        TEST(the_rate_is_measured),
        TEST(a_submit_that_fails_is_told),
        TEST(a_collect_that_fails_is_told),
        TEST(a_pack_that_fails_is_told),
        TEST(a_stop_cancels_what_is_on_the_device),
        TEST(results_packed_before_a_stop_are_delivered),
        TEST(results_collected_before_a_stop_are_delivered),
        TEST(an_idle_worker_stops_at_once),
        TEST(a_stop_does_not_wait_for_a_device_that_hangs),
        TEST(results_that_nobody_took_are_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
