/*
 * test_worker.c - a worker returns each task's result once, whatever its device does.
 */
#include "tests/support/unit_test.h"

#include "tests/worker/device_sim.h"

#include <sys/syscall.h>

static atomic_long wall_behind_s;

/* In place of the system's: the wall clock is behind. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
    const int failed = (int)syscall(SYS_clock_gettime, clock, out);

    if (clock == CLOCK_REALTIME)
        out->tv_sec -= atomic_load(&wall_behind_s);
    return failed;
}

static void every_task_is_returned_once(void **state)
{
    (void)state;
    device.collect_us = 1000;
    for (int i = 0; i < N_MAX; i += 32)
        give(i, 32);
    assert_int_equal(take_all(N_MAX), N_MAX);
    assert_false(take());
    assert_returned_once(N_MAX);
    assert_int_equal(worker_state(w), ST_OK);
}

static void tasks_given_one_by_one_are_returned_too(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        give(i, 1);
        if (i % 3 == 0)
            assert_int_equal(take_all(1), 1);
    }
    assert_int_equal(take_all(66), 66);
    assert_returned_once(100);
}

static void a_batch_is_packed_while_the_next_is_on_the_device(void **state)
{
    (void)state;
    device.waits_for_packs = true;
    give(0, 4 * LIMIT);
    assert_int_equal(take_all(4 * LIMIT), 4 * LIMIT);
    assert_returned_once(4 * LIMIT);
    assert_int_equal(atomic_load(&device.n_submits), 4);
    assert_int_equal(atomic_load(&device.n_packs_while_busy), 3 * LIMIT);
}

/* Did the device wait for the packs, they would end after WAIT_S; were all results kept
 * in one place, the first batch's would be the second's. */
static void a_batch_is_collected_while_the_one_before_is_packed(void **state)
{
    double start = clock_now_s();

    (void)state;
    device.packs_wait = true;
    give(0, 3 * LIMIT);
    assert_int_equal(take_all(3 * LIMIT), 3 * LIMIT);
    assert_returned_once(3 * LIMIT);
    assert_true(clock_now_s() - start < WAIT_S);
}

static void no_batch_exceeds_the_jobs_limit(void **state)
{
    (void)state;
    device.base.max_batch = 7;
    give(0, 100);
    assert_int_equal(take_all(100), 100);
    for (int i = 0; i < atomic_load(&device.n_submits); i++)
        assert_in_range(device.sizes[i], 1, 7);
}

static void tasks_that_a_batch_could_not_begin_are_in_the_next_one(void **state)
{
    (void)state;
    device.base.max_batch = 7;
    device.max_begins = 3;
    give(0, 50);
    give(50, 50);
    assert_int_equal(take_all(100), 100);
    assert_false(take());
    assert_returned_once(100);
    for (int i = 0; i < atomic_load(&device.n_submits); i++)
        assert_in_range(device.sizes[i], 1, 3);
    assert_true(worker_stats(w).cost == 100 * 10);
}

/* Another worker of the same device, with another guess. */
static void begin_again(double guess)
{
    assert_true(worker_stop(w, WAIT_S));
    worker_destroy(w);
    w = NULL;
    device.base.max_batch = N_MAX;
    device.base.cancel = 0;
    assert_int_equal(create_worker(guess), ST_OK);
}

/* At a rate of 400 and a cost of 10 per task, a second holds 40 tasks. */
static void a_batch_of_a_gpu_is_a_second_of_work(void **state)
{
    (void)state;
    begin_again(400);
    give(0, 128);
    assert_int_equal(take_all(128), 128);
    assert_int_equal(device.sizes[0], 40);
    assert_true(device.sizes[1] > 40); /* it was faster than the guess */
}

/* At a rate of 10000 a batch could have 250 tasks: but half of the 256 that wait is 128,
 * then of 128 it is 64. */
static void waiting_tasks_are_divided_into_several_batches(void **state)
{
    (void)state;
    begin_again(10000);
    device.collect_us = 20000;
    give(0, 256);
    assert_int_equal(take_all(256), 256);
    assert_int_equal(device.sizes[0], 128);
    assert_int_equal(device.sizes[1], 64);
    assert_returned_once(256);
}

/* A guess, however high, does not make one batch of all tasks; once such a rate is
 * measured, the rest is not worth dividing. */
static void the_minimum_batch_follows_the_measured_rate(void **state)
{
    (void)state;
    begin_again(fast);
    give(0, 64);
    assert_int_equal(take_all(64), 64);
    assert_int_equal(device.sizes[0], 32);
    assert_int_equal(device.sizes[1], 16);
    assert_true(device.sizes[2] > 16 / 2);
}

static void two_batches_are_on_the_device_and_never_a_third(void **state)
{
    (void)state;
    device.waits_for_packs = true;
    give(0, 6 * LIMIT);
    assert_int_equal(take_all(6 * LIMIT), 6 * LIMIT);
    assert_returned_once(6 * LIMIT);
    assert_int_equal(atomic_load(&device.n_submits), 6);
    assert_int_equal(device.max_begun, 2);
    assert_int_equal(atomic_load(&device.n_packs_while_busy), 5 * LIMIT);
}

/* Each batch is on the device for 0.04 s, but one ends every 0.02 s. */
static void overlapping_time_counts_once(void **state)
{
    double start = clock_now_s();
    worker_stats_t s;

    (void)state;
    device.collect_us = 20000;
    give(0, 20 * LIMIT);
    assert_int_equal(take_all(20 * LIMIT), 20 * LIMIT);
    s = worker_stats(w);
    assert_int_equal(s.n_tasks, 20 * LIMIT);
    assert_true(s.busy_s >= 20 * 0.02 && s.busy_s <= clock_now_s() - start);
}

/* 2 x LIMIT tasks of cost 10 in 0.02 s: no rate is more than twice that. */
static void a_batch_that_is_collected_late_does_not_inflate_the_rate(void **state)
{
    double mean = 2 * LIMIT * 10 / 0.02;

    (void)state;
    device.collect_us = 20000;
    device.two_at_once = true;
    give(0, 20 * LIMIT);
    for (int n = 0; n < 20 * LIMIT; n++) {
        assert_int_equal(take_all(1), 1);
        assert_true(worker_stats(w).rate < 2 * mean);
    }
}

static void a_stop_cancels_both_batches(void **state)
{
    (void)state;
    device.hangs_at = 1;
    give(0, 5 * LIMIT);
    assert_true(reached(&device.n_submits, 3));
    assert_true(reached(&device.n_packs, LIMIT));
    assert_true(worker_stop(w, WAIT_S));
    while (take())
        continue;
    assert_returned_once(LIMIT);
    assert_int_equal(atomic_load(&device.n_submits), 3);
    assert_int_equal(worker_stats(w).n_tasks, LIMIT);
    assert_int_equal(worker_state(w), ST_OK);
}

static void collected_results_survive_a_failed_submit(void **state)
{
    (void)state;
    device.submit_fails_at = 2;
    give(0, 5 * LIMIT);
    assert_int_equal(failure(), ST_EDEVICE);
    while (take())
        continue;
    assert_returned_once(LIMIT);
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
    assert_true(s.rate <= 2000 && s.rate > 10); /* 40 in 0.02 s at most */
}

static void a_failed_submit_is_reported(void **state)
{
    (void)state;
    device.submit_fails_at = 0;
    give(0, LIMIT);
    assert_int_equal(failure(), ST_EDEVICE);
    assert_false(take());
}

static void a_failed_collect_is_reported(void **state)
{
    (void)state;
    device.collect_fails_at = 2;
    give(0, 5 * LIMIT);
    assert_int_equal(failure(), ST_EDEVICE);
    while (take())
        continue;
    assert_returned_once(2 * LIMIT); /* earlier results are not lost */
    give(200, 1);                    /* never computed, and no error */
}

static void a_failed_pack_is_reported(void **state)
{
    (void)state;
    device.pack_fails_of = LIMIT + 1;
    give(0, 8 * LIMIT);
    assert_int_equal(failure(), ST_EIO);
    while (take())
        continue;
    assert_returned_once(LIMIT + 1);
}

static void a_stop_cancels_what_is_on_the_device(void **state)
{
    double start = clock_now_s();

    (void)state;
    device.hangs_at = 0;
    give(0, 3 * LIMIT);
    assert_true(reached(&device.n_submits, 1));
    assert_true(worker_stop(w, WAIT_S));
    assert_true(clock_now_s() - start < WAIT_S / 2);
    assert_false(take()); /* cancelled: incomplete */
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
    assert_returned_once(LIMIT);
}

/* The stop comes when the first batch is collected but not packed yet. */
static void results_collected_before_a_stop_are_delivered(void **state)
{
    (void)state;
    device.held_at = device.base.depth;
    give(0, 8 * LIMIT);
    assert_true(reached(&device.is_held, 1));
    assert_int_equal(atomic_load(&device.n_packs), 0);
    assert_true(worker_stop(w, WAIT_S));
    while (take())
        continue;
    assert_returned_once(LIMIT);
}

static void an_idle_worker_stops_at_once(void **state)
{
    double start = clock_now_s();

    (void)state;
    assert_true(worker_stop(w, WAIT_S));
    assert_true(worker_stop(w, WAIT_S)); /* a second time does nothing */
    assert_true(clock_now_s() - start < WAIT_S / 2);
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
    start = clock_now_s();
    assert_false(worker_stop(w, 1));
    seconds = clock_now_s() - start;
    assert_true(seconds > 0.9 && seconds < WAIT_S / 2);
}

/* The wall clock is set back by an hour: what waits by it has waited long enough. */
static void a_stop_waits_whatever_the_wall_clock_says(void **state)
{
    atomic_store(&wall_behind_s, 3600);
    a_stop_does_not_wait_for_a_device_that_hangs(state);
    atomic_store(&wall_behind_s, 0);
}

static void the_owner_does_not_wait_until_the_job_is_released(void **state)
{
    (void)state;
    atomic_store(&device.release_waits, true);
    give(0, LIMIT);
    assert_int_equal(take_all(LIMIT), LIMIT);
    assert_true(worker_stop(w, WAIT_S));
    assert_int_equal(atomic_load(&device.n_releases), 0);
    atomic_store(&device.release_waits, false);
    worker_destroy(w);
    w = NULL;
    assert_int_equal(atomic_load(&device.n_releases), 1);
}

/* A leak checker finds what is not freed. */
static void results_that_nobody_took_are_freed(void **state)
{
    (void)state;
    give(0, LIMIT);
    assert_true(reached(&device.n_packs, LIMIT));
    worker_destroy(NULL);
}

#define TEST(name)     cmocka_unit_test_setup_teardown(name, begin, end)
#define TEST_TWO(name) cmocka_unit_test_setup_teardown(name, begin_two, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_task_is_returned_once),
        TEST(tasks_given_one_by_one_are_returned_too),
        TEST(a_batch_is_packed_while_the_next_is_on_the_device),
        TEST(a_batch_is_collected_while_the_one_before_is_packed),
        TEST(no_batch_exceeds_the_jobs_limit),
        TEST(tasks_that_a_batch_could_not_begin_are_in_the_next_one),
        TEST(a_batch_of_a_gpu_is_a_second_of_work),
        TEST(the_rate_is_measured),
        TEST(a_failed_submit_is_reported),
        TEST(a_failed_collect_is_reported),
        TEST(a_failed_pack_is_reported),
        TEST(a_stop_cancels_what_is_on_the_device),
        TEST(results_packed_before_a_stop_are_delivered),
        TEST(results_collected_before_a_stop_are_delivered),
        TEST(an_idle_worker_stops_at_once),
        TEST(the_owner_does_not_wait_until_the_job_is_released),
        TEST(a_stop_does_not_wait_for_a_device_that_hangs),
        TEST(a_stop_waits_whatever_the_wall_clock_says),
        TEST(results_that_nobody_took_are_freed),
        TEST_TWO(every_task_is_returned_once),
        TEST_TWO(tasks_given_one_by_one_are_returned_too),
        TEST_TWO(a_batch_is_collected_while_the_one_before_is_packed),
        TEST_TWO(two_batches_are_on_the_device_and_never_a_third),
        TEST_TWO(tasks_that_a_batch_could_not_begin_are_in_the_next_one),
        TEST_TWO(waiting_tasks_are_divided_into_several_batches),
        TEST_TWO(the_minimum_batch_follows_the_measured_rate),
        TEST_TWO(overlapping_time_counts_once),
        TEST_TWO(a_batch_that_is_collected_late_does_not_inflate_the_rate),
        TEST_TWO(a_failed_submit_is_reported),
        TEST_TWO(collected_results_survive_a_failed_submit),
        TEST_TWO(a_failed_collect_is_reported),
        TEST_TWO(a_failed_pack_is_reported),
        TEST_TWO(a_stop_cancels_both_batches),
        TEST_TWO(results_collected_before_a_stop_are_delivered),
        TEST_TWO(a_stop_does_not_wait_for_a_device_that_hangs),
        TEST_TWO(results_that_nobody_took_are_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
