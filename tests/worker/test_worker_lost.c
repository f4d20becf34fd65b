/*
 * test_worker_lost.c - a worker whose device is lost, hangs or has no memory goes on.
 */
#include "tests/support/unit_test.h"

#include "tests/worker/device_sim.h"

/* The third collect never ends by itself. */
static void a_worker_that_gives_up_its_device_goes_on_with_the_cpu(void **state)
{
    double until = clock_now_s() + WAIT_S, rate;
    int n_before = 0;

    (void)state;
    device.hangs_at = 2;
    give(0, 4 * LIMIT);
    assert_true(reached(&device.n_submits, 2));
    assert_true(reached(&device.n_packs, device.sizes[0] + device.sizes[1]));
    worker_give_up_device(w);
    while (!worker_has_lost_device(w, &rate) && clock_now_s() < until)
        usleep(200);
    assert_true(worker_has_lost_device(w, &rate));
    assert_true(rate == slow);
    assert_int_equal(device.prepared_kind, DEVICE_CPU);
    while (take())
        n_before++;
    assert_int_equal(n_before, device.sizes[0] + device.sizes[1]); /* two whole batches */
    device.hangs_at = NEVER;
    worker_resume(w);
    give(n_before, 4 * LIMIT - n_before);
    assert_int_equal(take_all(4 * LIMIT - n_before), 4 * LIMIT - n_before);
    assert_returned_once(4 * LIMIT);
    assert_int_equal(worker_state(w), ST_OK);
}

/* The batches on the device and the tasks that waited are dropped: the owner gives them
 * again, to this worker or to another. */
static void an_idle_worker_gives_up_its_device_too(void **state)
{
    double until = clock_now_s() + WAIT_S, rate;

    (void)state;
    worker_give_up_device(w);
    while (!worker_has_lost_device(w, &rate) && clock_now_s() < until)
        usleep(200);
    assert_true(worker_has_lost_device(w, &rate));
    worker_resume(w);
    give(0, LIMIT);
    assert_int_equal(take_all(LIMIT), LIMIT);
}

static void a_worker_that_lost_its_device_goes_on_with_the_cpu(void **state)
{
    double rate, until = clock_now_s() + WAIT_S;
    int n_before = 0;

    (void)state;
    device.lost_at = 2;
    give(0, 8 * LIMIT);
    while (!worker_has_lost_device(w, &rate) && clock_now_s() < until)
        usleep(200);
    assert_true(worker_has_lost_device(w, &rate));
    assert_true(rate == slow); /* the CPU's guess */
    assert_int_equal(atomic_load(&device.n_releases), 1);
    assert_int_equal(device.n_prepares, 1);
    assert_int_equal(device.prepared_kind, DEVICE_CPU);
    while (take())
        n_before++;
    assert_int_equal(n_before, 2 * LIMIT);
    give(n_before, LIMIT); /* from before the owner knew: dropped */
    worker_resume(w);
    assert_false(worker_has_lost_device(w, &rate));
    give(n_before, 6 * LIMIT);
    assert_int_equal(take_all(6 * LIMIT), 6 * LIMIT);
    assert_false(take());
    assert_returned_once(8 * LIMIT);
    assert_int_equal(worker_state(w), ST_OK);
    assert_int_equal(worker_stats(w).n_lost_devices, 1);
}

/* Wait for the worker to give its tasks back, and give them to it again.
 * @return results that it had delivered before */
static int resume_with(int n)
{
    double until = clock_now_s() + WAIT_S, rate;
    int n_before = 0;

    while (!worker_has_lost_device(w, &rate) && clock_now_s() < until)
        usleep(200);
    assert_true(worker_has_lost_device(w, &rate));
    while (take())
        n_before++;
    worker_resume(w);
    give(n_before, n - n_before);
    return n_before;
}

/* A batch of 4 tasks needs too much memory, and one of 2 does not. */
static void without_memory_batches_become_smaller(void **state)
{
    (void)state;
    device.has_memory_for = 2;
    give(0, 4 * LIMIT);
    assert_int_equal(resume_with(4 * LIMIT), 0);
    assert_int_equal(take_all(4 * LIMIT), 4 * LIMIT);
    assert_returned_once(4 * LIMIT);
    assert_int_equal(device.sizes[0], 2);
    assert_int_equal(device.prepared_kind, DEVICE_CUDA);
    assert_int_equal(worker_stats(w).n_lost_devices, 0);
}

/* 4, 2 and 1 task need too much memory. */
static void without_memory_for_one_task_the_cpu_continues(void **state)
{
    (void)state;
    device.has_memory_for = NEVER;
    give(0, 4 * LIMIT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(resume_with(4 * LIMIT), 0);
    assert_int_equal(take_all(4 * LIMIT), 4 * LIMIT);
    assert_returned_once(4 * LIMIT);
    assert_int_equal(device.prepared_kind, DEVICE_CPU);
    assert_int_equal(worker_stats(w).n_lost_devices, 1);
}

static void a_worker_that_loses_the_cpu_too_gives_up(void **state)
{
    (void)state;
    device.lost_at = 1;
    device.lost_again = true;
    give(0, 2 * LIMIT);
    for (double until = clock_now_s() + WAIT_S, rate; clock_now_s() < until;)
        if (worker_has_lost_device(w, &rate))
            break;
    worker_resume(w);
    device.lost_at = atomic_load(&device.n_collects);
    give(100, LIMIT);
    assert_int_equal(failure(), ST_EDEVICE);
}

static void a_worker_that_cannot_prepare_the_cpu_gives_up(void **state)
{
    (void)state;
    device.lost_at = 1;
    device.prepare_fails = true;
    give(0, 4 * LIMIT);
    assert_int_equal(failure(), ST_ENOMEM);
    while (take())
        continue;
    assert_returned_once(LIMIT); /* finished work is not lost */
}

#define TEST(name)     cmocka_unit_test_setup_teardown(name, begin, end)
#define TEST_TWO(name) cmocka_unit_test_setup_teardown(name, begin_two, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_memory_batches_become_smaller),
        TEST(without_memory_for_one_task_the_cpu_continues),
        TEST(a_worker_that_gives_up_its_device_goes_on_with_the_cpu),
        TEST(an_idle_worker_gives_up_its_device_too),
        TEST(a_worker_that_lost_its_device_goes_on_with_the_cpu),
        TEST(a_worker_that_loses_the_cpu_too_gives_up),
        TEST(a_worker_that_cannot_prepare_the_cpu_gives_up),
        TEST_TWO(a_worker_that_gives_up_its_device_goes_on_with_the_cpu),
        TEST_TWO(a_worker_that_lost_its_device_goes_on_with_the_cpu),
        TEST_TWO(a_worker_that_cannot_prepare_the_cpu_gives_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
