/*
 * test_sample.c - a worker is measured on tasks of a job, each at most once.
 */
#include "tests/support/unit_test.h"

#include "tests/worker/device_sim.h"

static const double guess = 400;
static int computed[N_MAX]; /* how often */

/* In place of submit: counts the tasks. */
static status_t count_tasks(job_t *job, const int64_t *tasks, int n, int *n_begun_of)
{
    const status_t st = submit(job, tasks, n, n_begun_of);

    for (int k = 0; st == ST_OK && k < *n_begun_of; k++)
        computed[tasks[k]]++;
    return st;
}

static job_ops_t counting;

static int begin_sample(void **state)
{
    if (begin(state) != 0 || !worker_stop(w, WAIT_S))
        return -1;
    worker_destroy(w);
    w = NULL;
    memset(computed, 0, sizeof(computed));
    counting = ops;
    counting.submit = count_tasks;
    device.base.ops = &counting;
    device.base.cancel = 0;
    return 0;
}

static status_t sample(double seconds, double max_s, worker_rate_t *out)
{
    const worker_opts_t opts = {.job = &device.base,
                                .pool = pool,
                                .device = &gpu,
                                .guess = guess,
                                .notifier = &notifier,
                                .rank = 1};

    return worker_sample(&opts, seconds, max_s, out);
}

static int most_computed(void)
{
    int most = 0;

    for (int i = 0; i < N_MAX; i++)
        most = computed[i] > most ? computed[i] : most;
    return most;
}

static void all_tasks_are_computed_once_where_there_is_time(void **state)
{
    worker_rate_t got;

    (void)state;
    device.collect_us = 1000;
    assert_int_equal(sample(WAIT_S, WAIT_S, &got), ST_OK);
    assert_int_equal(got.n_tasks, N_MAX);
    for (int i = 0; i < N_MAX; i++)
        assert_int_equal(computed[i], 1);
    assert_true(got.rate > 0 && got.start_s >= 0);
}

/* The time is over before the second batch, whose results the rate needs. */
static void a_sample_is_a_part_of_the_tasks(void **state)
{
    worker_rate_t got;

    (void)state;
    device.collect_us = 20000;
    assert_int_equal(sample(0, WAIT_S, &got), ST_OK);
    assert_in_range(got.n_tasks, LIMIT + 1, N_MAX - 1);
    assert_int_equal(most_computed(), 1);
    assert_true(got.rate > 0 && got.rate != guess);
}

enum { PACK_US = 5000 };

static status_t pack_slowly(job_t *job, int place, int k, int thread, buf_t *out)
{
    usleep(PACK_US);
    return pack(job, place, k, thread, out);
}

/* No thread packs faster than it sleeps, also what was collected last. */
static void packing_is_a_part_of_the_time(void **state)
{
    const int n_threads = pool_n_threads(pool), n = 2 * LIMIT;
    worker_rate_t got;
    double cost = 0;

    (void)state;
    device.base.plan.n_tasks = n;
    for (int i = 0; i < n; i++)
        cost += (double)job_cost(&device.base, i);
    counting.pack = pack_slowly;
    assert_int_equal(sample(WAIT_S, WAIT_S, &got), ST_OK);
    assert_int_equal(got.n_tasks, n);
    assert_true(got.start_s + cost / got.rate > 0.9e-6 * PACK_US * n / n_threads);
}

/* Neighbours, which often cost alike, are not all of a sample. */
static void a_sample_is_spread_over_the_tasks(void **state)
{
    int first_half = 0, second_half = 0;
    worker_rate_t got;

    (void)state;
    device.collect_us = 20000;
    assert_int_equal(sample(0, WAIT_S, &got), ST_OK);
    for (int i = 0; i < N_MAX; i++)
        *(i < N_MAX / 2 ? &first_half : &second_half) += computed[i];
    assert_true(first_half > 0 && second_half > 0);
}

static bool is_odd(const job_t *job, int64_t task)
{
    (void)job;
    return task % 2 == 1;
}

static void known_tasks_are_not_computed(void **state)
{
    worker_rate_t got;

    (void)state;
    counting.is_known = is_odd;
    device.collect_us = 1000;
    assert_int_equal(sample(WAIT_S, WAIT_S, &got), ST_OK);
    assert_int_equal(got.n_tasks, (N_MAX + 1) / 2);
    for (int i = 0; i < N_MAX; i++)
        assert_int_equal(computed[i], i % 2 == 0);
}

static void of_a_task_that_takes_too_long_only_the_guess_is_known(void **state)
{
    worker_rate_t got;

    (void)state;
    device.hangs_at = 0;
    assert_int_equal(sample(0, 0.05, &got), ST_OK);
    assert_int_equal(got.n_tasks, 0);
    assert_true(got.rate == guess && got.start_s == 0);
}

static void a_job_without_tasks_has_the_guess(void **state)
{
    worker_rate_t got;

    (void)state;
    device.base.plan.n_tasks = 0;
    assert_int_equal(sample(0, WAIT_S, &got), ST_OK);
    assert_true(got.n_tasks == 0 && got.rate == guess);
    assert_int_equal(atomic_load(&device.n_submits), 0);
}

static void the_workers_error_is_returned(void **state)
{
    worker_rate_t got;

    (void)state;
    device.collect_fails_at = 1;
    assert_int_equal(sample(WAIT_S, WAIT_S, &got), ST_EDEVICE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_sample, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_tasks_are_computed_once_where_there_is_time),
        TEST(a_sample_is_a_part_of_the_tasks),
        TEST(packing_is_a_part_of_the_time),
        TEST(a_sample_is_spread_over_the_tasks),
        TEST(known_tasks_are_not_computed),
        TEST(of_a_task_that_takes_too_long_only_the_guess_is_known),
        TEST(a_job_without_tasks_has_the_guess),
        TEST(the_workers_error_is_returned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
