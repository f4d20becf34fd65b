/*
 * test_free_tasks.c - tasks that several workers compute: the first result is taken, or
 * that on which most agree.
 */
#include "tests/support/unit_test.h"

#include "tests/dispatcher/dispatcher_fixture.h"

/* Worker 0 stands still with the tasks that it holds.  The others finish theirs, and then
 * compute its tasks as well: nobody has to wait for it. */
static void a_stragglers_tasks_are_computed_by_idle_workers(void **state)
{
    (void)state;
    workers[0].hangs_after = 3;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[0].n_hangs, 0);
    assert_int_equal(workers[0].n_sent, 3 + workers[0].n_late);
    assert_true(kept.report.items == N * (N + 1) / 2);
}

/* Both the original and the copy are answered. */
static void of_two_results_the_first_is_stored(void **state)
{
    int64_t task;

    (void)state;
    for (int i = 0; i < N; i++)
        kept.done_before[i] = i >= 2;
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    workers[1].hangs_after = workers[0].hangs_after = 0;
    send_result(FAST, workers[FAST].inbox[0]);
    send_result(FAST, workers[FAST].inbox[1]);
    workers[FAST].n = 0;
    receive_all();
    task = 0;
    send_result(0, task);
    send_result(1, task);
    receive_all();
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(2);
}

/* After half a second of silence its tasks go to others; it comes back with its CPU. */
static void a_worker_that_hangs_is_given_up_and_comes_back(void **state)
{
    (void)state;
    plan->task_timeout_s = 0.5;
    workers[FAST].hangs_after = 10;
    create(N);
    capture_start();
    log_set_level(LOG_NORMAL);
    assert_int_equal(run(), ST_OK);
    log_set_level(LOG_QUIET);
    capture_stop();
    assert_logged("rank 2 has not answered for 0.5 s (--task-timeout): its ");
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[FAST].n_hangs, 1);
    assert_true(workers[FAST].n_sent > 10);
}

static void a_worker_that_does_not_come_back_is_out(void **state)
{
    (void)state;
    plan->task_timeout_s = 0.5;
    for (int w = 0; w < WORKERS; w++) {
        workers[w].hangs_after = 1;
        workers[w].ignores_hangs = true;
    }
    create(N);
    capture_start();
    assert_int_equal(run(), ST_EDEVICE);
    capture_stop();
    assert_logged("no worker is left; ");
    assert_logged_one_line();
    assert_int_equal(finish_run(), ST_EDEVICE);
    assert_int_equal(kept.n_finishes, 0);
}

/* Each task is computed by all three workers, of which one is wrong. */
static void a_wrong_result_is_outvoted(void **state)
{
    (void)state;
    plan->redundancy = 3;
    workers[1].lies = true;
    create(N);
    capture_start();
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    capture_stop();
    assert_logged("rank 1 (device not known) computed task ");
    assert_logged("rank 1 (device not known): 200 wrong results in all; none was used");
    assert_stored_once(N);
    for (int w = 0; w < WORKERS; w++)
        assert_int_equal(workers[w].n_sent, N);
    assert_int_equal(kept.report.items, N * (N + 1) / 2);
}

/* With two of three workers each task needs both of them. */
static void redundancy_survives_a_worker_that_fails(void **state)
{
    (void)state;
    plan->redundancy = 2;
    workers[0].fails_after = 7;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_in_range(workers[1].n_sent + workers[FAST].n_sent, 2 * N - 7, 2 * N);
}

static void fewer_workers_than_redundancy_end_the_run(void **state)
{
    (void)state;
    plan->redundancy = 3;
    workers[0].fails_after = 7;
    create(N);
    capture_start();
    assert_int_equal(run(), ST_OK);
    capture_stop();
    assert_logged("2 of 3 ranks are left, fewer than --redundancy; ");
    assert_logged_one_line();
    assert_int_equal(finish_run(), ST_EDEVICE);
    assert_int_equal(kept.n_finishes, 0);
}

static int n_checks(job_how_t how)
{
    int n = 0;

    for (int w = 0; w < WORKERS; w++)
        n += workers[w].n_checks[how];
    return n;
}

/* Of 200 multiples of the golden ratio a quarter is below a quarter. */
static void a_fraction_of_the_tasks_is_checked(void **state)
{
    (void)state;
    plan->recompute = 0.25;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_in_range(n_checks(JOB_ALTERNATIVE), N / 4 - 2, N / 4 + 2);
    assert_int_equal(n_checks(JOB_REFERENCE), 0);
}

/* All wrong results are found, and the definition decides. */
static void a_check_that_differs_is_decided_by_the_definition(void **state)
{
    (void)state;
    plan->recompute = 1;
    workers[0].lies = true;
    create(N);
    capture_start();
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    capture_stop();
    assert_logged("rank 0 (device not known) computed task ");
    assert_stored_once(N);
    assert_int_equal(n_checks(JOB_ALTERNATIVE), N);
    assert_true(workers[0].n_sent > 1);
    assert_int_equal(n_checks(JOB_REFERENCE), workers[0].n_sent);
}

/* Another worker computes the check; of one that is alone, the same. */
static void a_worker_that_is_alone_checks_itself(void **state)
{
    (void)state;
    plan->recompute = 1;
    workers[0].fails_after = workers[1].fails_after = 0;
    workers[FAST].loses_device_after = 50;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_true(workers[FAST].n_checks[JOB_ALTERNATIVE] >= N - 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* It computes what it was granted, and only then is told to end. */
static void a_device_that_leaves_finishes_what_it_holds(void **state)
{
    int n_held;

    (void)state;
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    n_held = workers[1].n;
    assert_true(n_held > 0);
    send_order(1, LENT_LEAVE);
    receive_all();
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[1].n_sent, n_held);
    assert_int_equal(workers[1].n_ends, 2);
    assert_int_equal(workers[0].n_ends + workers[FAST].n_ends, 0);
    assert_int_equal(dispatcher_worker_stats(d, 1).n_tasks, n_held);
}

static void a_device_that_may_stay_after_all_is_granted_tasks(void **state)
{
    (void)state;
    create(N);
    send_order(FAST, LENT_LEAVE);
    send_order(FAST, LENT_STAY);
    receive_all();
    assert_int_equal(run(), ST_OK);
    assert_stored_once(N);
    assert_true(workers[FAST].n_sent > 0);
    assert_int_equal(workers[FAST].n_ends, 0);
}

static void when_all_devices_leave_the_run_ends(void **state)
{
    (void)state;
    create(N);
    for (int w = 0; w < WORKERS; w++)
        send_order(w, LENT_LEAVE);
    receive_all();
    assert_int_equal(run(), ST_EDEVICE);
    assert_int_equal(n_stored(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stragglers_tasks_are_computed_by_idle_workers),
        TEST(of_two_results_the_first_is_stored),
        TEST(a_worker_that_hangs_is_given_up_and_comes_back),
        TEST(a_worker_that_does_not_come_back_is_out),
        TEST(a_wrong_result_is_outvoted),
        TEST(redundancy_survives_a_worker_that_fails),
        TEST(fewer_workers_than_redundancy_end_the_run),
        TEST(a_fraction_of_the_tasks_is_checked),
        TEST(a_check_that_differs_is_decided_by_the_definition),
        TEST(a_worker_that_is_alone_checks_itself),
        TEST(a_device_that_leaves_finishes_what_it_holds),
        TEST(a_device_that_may_stay_after_all_is_granted_tasks),
        TEST(when_all_devices_leave_the_run_ends),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
