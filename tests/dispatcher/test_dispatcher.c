/*
 * test_dispatcher.c - rank 0's state machine: every task is stored once, whatever
 * workers, the disk and the user do.
 */
#include "tests/support/unit_test.h"

#include "tests/dispatcher/dispatcher_fixture.h"

static void with_unequal_workers_every_task_is_stored_once(void **state)
{
    double all = 0;

    (void)state;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(kept.n_finishes, 1);
    for (int task = 0; task < N; task++)
        all += (double)cost(NULL, task);
    assert_true(kept.report.cost == all);
    assert_int_equal(kept.report.items, N * (N + 1) / 2);
    assert_int_equal(kept.report.n_ranks, WORKERS);
    assert_true(kept.report.seconds >= 0);
    for (int w = 0; w < WORKERS; w++)
        assert_int_equal(dispatcher_worker_stats(d, w).n_tasks, workers[w].n_sent);
    assert_true(workers[FAST].n_sent > N / 2);
}

static void finished_tasks_of_an_earlier_run_are_not_granted(void **state)
{
    (void)state;
    for (int task = 0; task < N; task += 3)
        kept.done_before[task] = true;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[0].n_sent + workers[1].n_sent + workers[2].n_sent,
                     N - (N + 2) / 3);
    assert_int_equal(kept.n_finishes, 1);
}

static void a_run_without_tasks_makes_its_output(void **state)
{
    (void)state;
    create(0);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_int_equal(kept.n_finishes, 1);
    assert_int_equal(kept.report.items, 0);
}

static void tasks_of_a_failed_worker_go_to_the_others(void **state)
{
    (void)state;
    workers[FAST].fails_after = 20;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[FAST].n_sent, 20);
    assert_int_equal(kept.n_finishes, 1);
}

static void a_worker_that_fails_at_once_gets_no_more_tasks(void **state)
{
    (void)state;
    workers[0].fails_after = workers[1].fails_after = 0;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[FAST].n_sent, N);
}

static void without_a_worker_the_run_ends_with_an_error(void **state)
{
    (void)state;
    workers[0].fails_after = 2;
    workers[1].fails_after = 0;
    workers[FAST].fails_after = 30;
    create(N);
    capture_start();
    assert_int_equal(run(), ST_OK);
    capture_stop();
    assert_logged("no worker is left; ");
    assert_logged_one_line();
    assert_int_equal(finish_run(), ST_EDEVICE);
    assert_int_equal(n_stored(), 32);
    assert_int_equal(kept.n_finishes, 0);
}

/* The worker has logged it. */
static void input_that_a_worker_refuses_ends_the_run(void **state)
{
    (void)state;
    workers[1].fails_after = 2;
    workers[1].finds_bad_input = true;
    create(N);
    capture_start();
    assert_int_equal(run(), ST_OK);
    capture_stop();
    assert_logged_nothing();
    assert_int_equal(finish_run(), ST_EINPUT);
    assert_int_equal(kept.n_finishes, 0);
}

/* A worker may have one more result, which it sends when it is stopped. */
static void a_signalled_run_keeps_all_results_that_arrived(void **state)
{
    double since;

    (void)state;
    workers[1].signalled_after = 5;
    create(N);
    assert_false(dispatcher_is_stopping(d, &since));
    assert_int_equal(run(), ST_OK);
    assert_true(dispatcher_is_stopping(d, &since));
    assert_int_equal(finish_run(), ST_ESTOPPED);
    assert_int_equal(n_stored(),
                     workers[0].n_sent + workers[1].n_sent + workers[2].n_sent);
    assert_true(workers[0].n_late + workers[1].n_late + workers[2].n_late > 0);
    assert_true(n_stored() < N);
    assert_int_equal(kept.n_finishes, 0);
}

static void the_first_reason_to_stop_stays(void **state)
{
    (void)state;
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    dispatcher_stop(d, ST_EPEER);
    dispatcher_stop(d, ST_ESTOPPED);
    receive_all();
    assert_true(dispatcher_is_over(d));
    assert_int_equal(finish_run(), ST_EPEER);
}

static void a_store_that_fails_ends_the_run(void **state)
{
    (void)state;
    kept.store_fails_of = 77;
    create(N);
    assert_int_equal(run(), ST_EIO);
    assert_int_equal(finish_run(), ST_EIO);
    assert_int_equal(kept.times[77], 0);
    assert_int_equal(kept.n_finishes, 0);
}

static void a_result_that_comes_twice_is_stored_once(void **state)
{
    (void)state;
    workers[0].doubles = workers[FAST].doubles = true;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(kept.n_finishes, 1);
    assert_int_equal(kept.report.items, N * (N + 1) / 2);
}

/* It may be that of a task whose own result would never come. */
static void a_stranger_that_sends_a_result_twice_is_left(void **state)
{
    (void)state;
    transport.drop = drop;
    workers[FAST].doubles = true;
    create(N);
    capture_start();
    assert_int_equal(run(), ST_OK);
    capture_stop();
    assert_logged("worker 2 sent a result of a task that it does not have");
    assert_logged_one_line();
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
}

/* Another worker holds the task by then. */
static void a_late_result_of_a_failed_worker_does_no_harm(void **state)
{
    int64_t task;

    (void)state;
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    assert_true(workers[FAST].n > 0);
    task = workers[FAST].inbox[0];
    send_failed(FAST);
    receive_all();
    send_result(FAST, task);
    receive_all();
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(kept.n_finishes, 1);
}

static void after_a_lost_rank_no_output_is_made(void **state)
{
    (void)state;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(dispatcher_finish(d, NULL), ST_ESTOPPED);
    assert_stored_once(N);
    assert_int_equal(kept.n_finishes, 0);
}

static void results_wait_while_the_disk_is_behind(void **state)
{
    struct {
        result_head_t head;
        int64_t payload;
    } result = {.head = {.rate = 1000}};
    buf_t big = {0};

    (void)state;
    atomic_store(&kept.closed, true);
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    assert_false(dispatcher_is_full(d));
    result.head.task = result.payload = workers[0].inbox[0];
    workers[0].n = 0;
    result.head.len = (64 << 20) + 1 - sizeof(result.head);
    assert_int_equal(buf_append(&big, &result, sizeof(result)), ST_OK);
    assert_int_equal(buf_reserve(&big, (64 << 20) + 1), ST_OK);
    big.len = (64 << 20) + 1; /* only its beginning is read */
    assert_int_equal(message_queue_push(&to_0, 0, TAG_RESULT, &big), ST_OK);
    receive_all();
    assert_true(dispatcher_is_full(d));
    atomic_store(&kept.closed, false);
    while (dispatcher_is_full(d))
        usleep(200);
    dispatcher_stop(d, ST_ESTOPPED);
    receive_all();
    assert_int_equal(finish_run(), ST_ESTOPPED);
    assert_int_equal(kept.times[result.payload], 1);
}

static void a_worker_that_lost_its_device_gets_tasks_again(void **state)
{
    (void)state;
    workers[FAST].loses_device_after = 30;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    assert_true(workers[FAST].has_lost_device);
    assert_false(workers[FAST].drops);
    assert_true(workers[FAST].n_sent > 30);
    assert_int_equal(kept.n_finishes, 1);
}

static void all_workers_may_lose_their_devices(void **state)
{
    (void)state;
    for (int w = 0; w < WORKERS; w++)
        workers[w].loses_device_after = w;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
}

/* Seven tasks of cost 5, workers 0 and 1 at 1000 and 500 a second: four and two are
 * granted, as the last one would end too late on either.  Worker 1 turns out to be slow
 * and has nothing left: worker 0, which finishes the last task first, gets it at once. */
static void a_task_refused_to_a_slow_worker_goes_to_the_fastest_finisher(void **state)
{
    buf_t message = {0};

    (void)state;
    for (int task = 0; task < N; task++)
        kept.done_before[task] = task % 31 != 0;
    create(N);
    send_failed(FAST);
    receive_all();
    assert_int_equal(dispatcher_step(d), ST_OK);
    assert_int_equal(workers[0].n, 4);
    assert_int_equal(workers[1].n, 2);
    speed[1] = 0.05;
    for (int i = 0; i < 2; i++)
        add_result(1, workers[1].inbox[i], &message);
    workers[1].n = 0;
    assert_int_equal(message_queue_push(&to_0, 1, TAG_RESULT, &message), ST_OK);
    receive_all();
    assert_int_equal(workers[0].n, 5);
    assert_int_equal(workers[1].n, 0);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
}

/* The log has only what rank 0 stores. */
static void what_other_ranks_store_is_finished(void **state)
{
    int n = 0;

    (void)state;
    workers[1].is_kept = workers[1].doubles = workers[FAST].is_kept = true;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_int_equal(kept.report.items, N * (N + 1) / 2);
    for (int w = 0; w < WORKERS; w++)
        assert_true(workers[w].n_sent > 0);
    for (int task = 0; task < N; task++)
        n += kept.times[task];
    assert_in_range(n, 1, workers[0].n_sent); /* some may be computed twice at the end */
}

static void a_log_of_another_rank_that_fails_ends_the_run(void **state)
{
    const int32_t why = ST_EIO;

    (void)state;
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    send_to_0(1, TAG_UNSTORED, &why, sizeof(why));
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_EIO);
    assert_int_equal(kept.n_finishes, 0);
}

/* ---- known results ---- */

static int n_brought; /* how many are, before an error */

static bool is_even(const job_t *job, int64_t task)
{
    (void)job;
    return task % 2 == 0;
}

static status_t bring(job_t *job, job_put_t *put, void *ctx)
{
    const kept_t *l = (const kept_t *)job;
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < N; task += 2) {
        buf_t data = {0};

        if (l->done_before[task])
            continue;
        if (n_brought-- == 0)
            return ST_EINPUT;
        assert_int_equal(buf_append(&data, &task, sizeof(task)), ST_OK);
        st = put(ctx, task, &data);
        buf_free(&data);
    }
    return st;
}

static void create_with_known(int n)
{
    static job_ops_t known;

    n_brought = n;
    known = ops;
    known.is_known = is_even;
    known.bring = bring;
    kept.base.ops = &known;
    create(N);
}

static void known_results_are_stored_and_never_granted(void **state)
{
    int64_t n_items = 0;

    (void)state;
    kept.done_before[6] = kept.done_before[7] = true;
    create_with_known(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(finish_run(), ST_OK);
    assert_stored_once(N);
    for (int w = 0; w < WORKERS; w++)
        n_items += workers[w].n_sent;
    assert_int_equal(n_items, N / 2 - 1);
    n_items = 0;
    for (int64_t task = 1; task < N; task += 2)
        n_items += task == 7 ? 0 : items(NULL, task);
    assert_int_equal(kept.report.items, n_items);
    assert_int_equal(kept.n_finishes, 1);
}

static void a_known_result_that_cannot_be_read_ends_the_run(void **state)
{
    (void)state;
    create_with_known(3);
    assert_int_equal(run(), ST_EINPUT);
    assert_int_equal(finish_run(), ST_EINPUT);
    assert_int_equal(kept.times[4], 1);
    assert_int_equal(kept.times[6], 0);
    assert_int_equal(kept.n_finishes, 0);
}

static void a_stopped_run_waits_for_no_known_results(void **state)
{
    (void)state;
    create_with_known(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    dispatcher_stop(d, ST_ESTOPPED);
    receive_all();
    assert_true(dispatcher_is_over(d));
    assert_int_equal(finish_run(), ST_ESTOPPED);
    assert_int_equal(kept.n_finishes, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(with_unequal_workers_every_task_is_stored_once),
        TEST(finished_tasks_of_an_earlier_run_are_not_granted),
        TEST(a_run_without_tasks_makes_its_output),
        TEST(tasks_of_a_failed_worker_go_to_the_others),
        TEST(a_worker_that_fails_at_once_gets_no_more_tasks),
        TEST(without_a_worker_the_run_ends_with_an_error),
        TEST(input_that_a_worker_refuses_ends_the_run),
        TEST(a_signalled_run_keeps_all_results_that_arrived),
        TEST(the_first_reason_to_stop_stays),
        TEST(a_store_that_fails_ends_the_run),
        TEST(a_result_that_comes_twice_is_stored_once),
        TEST(a_stranger_that_sends_a_result_twice_is_left),
        TEST(a_late_result_of_a_failed_worker_does_no_harm),
        TEST(after_a_lost_rank_no_output_is_made),
        TEST(a_worker_that_lost_its_device_gets_tasks_again),
        TEST(all_workers_may_lose_their_devices),
        TEST(a_task_refused_to_a_slow_worker_goes_to_the_fastest_finisher),
        TEST(results_wait_while_the_disk_is_behind),
        TEST(what_other_ranks_store_is_finished),
        TEST(a_log_of_another_rank_that_fails_ends_the_run),
        TEST(known_results_are_stored_and_never_granted),
        TEST(a_known_result_that_cannot_be_read_ends_the_run),
        TEST(a_stopped_run_waits_for_no_known_results),
    };

    dispatcher_destroy(NULL);
    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
