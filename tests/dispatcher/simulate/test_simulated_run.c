/*
 * test_simulated_run.c - the real dispatcher in simulated time: who does what, and when.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/dispatcher.h"
#include "dispatcher/protocol.h"
#include "dispatcher/simulate/simulated_run.h"
#include "io/base/logmsg.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { TASKS_MAX = 4000, RANKS_MAX = 1000 };

static atomic_int times[TASKS_MAX]; /* how often a task was stored */
static int64_t task_cost;
static int n_shards;
static double rate[RANKS_MAX], guess[RANKS_MAX];
static double computed, per_read_s;

static int64_t cost(const job_t *job, int64_t task)
{
    (void)job;
    (void)task;
    return task_cost;
}

static status_t note_result(job_t *job, int64_t task, int64_t version, const void *data,
                            size_t len)
{
    (void)version;
    (void)job;
    (void)data;
    (void)len;
    atomic_fetch_add(&times[task], 1);
    return ST_OK;
}

static status_t write_result(job_t *job, const job_report_t *report)
{
    (void)job;
    (void)report;
    return ST_OK;
}

static const job_ops_t ops = {.name = "fake",
                              .cost = cost,
                              .items = cost,
                              .note_result = note_result,
                              .write_result = write_result};
static job_t job = {.ops = &ops};

/* Rank 0 computes this long between two reads of the clock. */
static double clock_s(void)
{
    return computed += per_read_s;
}

static simulated_run_opts_t opts;

/* Equal workers of rate 10, tasks of cost 5, no latency; only tasks take time. */
static int begin(void **state)
{
    (void)state;
    memset(times, 0, sizeof(times));
    task_cost = 5;
    n_shards = 1;
    computed = per_read_s = 0;
    for (int r = 0; r < RANKS_MAX; r++)
        rate[r] = guess[r] = 10;
    opts = (simulated_run_opts_t){.transport = {.n_ranks = 1,
                                                .rate = rate,
                                                .guess = guess,
                                                .seed = 1,
                                                .bytes_per_s = 1e18,
                                                .result_bytes = 8,
                                                .job = &job,
                                                .clock = clock_s}};
    log_set_level(LOG_QUIET);
    return 0;
}

static simulated_run_t run(int n_ranks, int64_t n_tasks)
{
    simulated_run_t out = {0};

    job.plan = (job_plan_t){.n_tasks = n_tasks,
                            .n_shards = n_shards,
                            .task_word = "tiles",
                            .item_word = "pairs"};
    memset(times, 0, sizeof(times));
    opts.transport.n_ranks = n_ranks;
    assert_int_equal(simulated_run(&opts, &job, &out), ST_OK);
    for (int64_t task = 0; task < n_tasks && n_shards == 1; task++)
        assert_int_equal(times[task], 1);
    assert_int_equal(out.n_results, n_tasks);
    if (n_shards == 1)
        assert_int_equal(out.n_messages, n_tasks + n_ranks); /* STOPPED */
    return out;
}

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-6)
        fail_msg("%.9f is not %.9f", a, b);
}

/* Two tasks fill the window of a second and arrive at 1 s.  The first result is sent
 * at 1.5 and arrives at 2.5; the third task is granted then, arrives at 3.5 and is
 * finished at 4; its result arrives at 5 and is stored at 5.25. */
static void time_adds_up(void **state)
{
    simulated_run_t r;

    (void)state;
    opts.transport.latency_s = 1;
    opts.transport.store_s = 0.25;
    r = run(1, 3);
    assert_near(r.seconds, 5.25);
    assert_near(r.utilization, 15 / (10 * 5.25));
    assert_near(r.store_s, 0.75);
    assert_near(r.wait_s, 0);
    assert_near(r.dispatch_s, 0);
}

/* As above; an idle rank 0 looks for messages every 0.8 s. */
static void an_idle_rank_0_waits(void **state)
{
    (void)state;
    opts.transport.latency_s = 1;
    opts.min_wait_s = opts.max_wait_s = 0.8;
    /* it looks at 2.4, 3.2 (first result), 3.2 (second); the third task arrives at 4.2,
     * is finished at 4.7, its result arrives at 5.7; it looks at 4.0, 4.8, 5.6, 6.4 */
    assert_near(run(1, 3).seconds, 6.4);
}

/* Two results of 32 MiB may wait for the disk, which takes 10 s for each.  The first
 * arrives at 2.5; after the third, at 5, no message is taken until the first is stored,
 * at 12.5. */
static void results_wait_while_the_disk_is_behind(void **state)
{
    simulated_run_t r;

    (void)state;
    opts.transport.latency_s = 1;
    opts.transport.result_bytes = DISPATCHER_BACKLOG_BYTES / 2 - sizeof(result_head_t);
    opts.transport.store_s = 10;
    r = run(1, 6);
    assert_near(r.seconds, 62.5);
    assert_near(r.wait_s, 7.5 + 10 + 10 + 10);
}

/* Every message takes 0.5 s of rank 0's time; four workers could do 8 tasks per second.
 */
/* As the first, but two ranks, each of which keeps a shard: rank 1's result is in its log
 * at 2.75, rank 0 knows of it at 3.75, and its second task comes back at 5.75. */
static void another_rank_stores_its_results_and_reports_them(void **state)
{
    simulated_run_t r;

    (void)state;
    opts.transport.latency_s = 1;
    opts.transport.store_s = 0.25;
    n_shards = 2;
    r = run(2, 2);
    assert_near(r.seconds, 3.75);
    assert_near(r.store_s, 0.25);
    assert_int_equal(r.n_stored, 1);
}

/* The disk of one log takes 10 results per second; eight workers could do 16. */
static void logs_of_several_ranks_take_more(void **state)
{
    (void)state;
    opts.transport.store_s = 0.1;
    assert_true(run(8, 400).seconds > 39);
    n_shards = 4;
    assert_true(run(8, 400).seconds < 26);
}

static void a_busy_rank_0_is_the_limit(void **state)
{
    simulated_run_t r;

    (void)state;
    opts.message_s = 0.5;
    r = run(4, 100);
    assert_true(r.seconds > 50 && r.seconds < 51.5);
    assert_near(r.receive_s, 0.5 * 104);
    assert_near(r.dispatch_s, 0);
    assert_true(r.utilization < 0.26);
}

static void what_the_dispatcher_computes_takes_time(void **state)
{
    simulated_run_t r;

    (void)state;
    per_read_s =
        0.01; /* the clock is read at the begin and end of a turn, and at each grant */
    r = run(2, 40);
    assert_true(r.dispatch_s >= 0.01 * 42);
    assert_true(r.seconds > 10 && r.seconds < 11);
}

static void equal_workers_share_equally(void **state)
{
    simulated_run_t r;

    (void)state;
    r = run(50, 4000);
    assert_near(r.seconds, 40);
    assert_near(r.utilization, 1);
    assert_int_equal(r.n_unused, 0);
}

static void unequal_workers_end_together(void **state)
{
    simulated_run_t r;

    (void)state;
    for (int w = 0; w < 40; w++)
        rate[w] = guess[w] = w % 2 == 0 ? 100 : 10;
    opts.transport.jitter = 0.2;
    opts.transport.latency_s = 1e-3;
    r = run(40, 4000);
    assert_true(r.utilization > 0.95);
    assert_int_equal(r.n_unused, 0);
}

static void guesses_far_too_low_leave_nobody_out(void **state)
{
    simulated_run_t r;

    (void)state;
    for (int w = 0; w < 20; w += 2)
        guess[w] = rate[w] / 500;
    r = run(20, 4000); /* 100 s; by such a guess a task takes 250 s */
    assert_int_equal(r.n_unused, 0);
    assert_true(r.utilization > 0.95);
}

static void a_thousand_ranks_are_served(void **state)
{
    simulated_run_t r;

    (void)state;
    r = run(1000, 4000);
    assert_near(r.seconds, 2);
    assert_int_equal(r.n_unused, 0);
}

static void a_run_without_tasks_ends_at_once(void **state)
{
    (void)state;
    assert_near(run(3, 0).seconds, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(time_adds_up),
        TEST(an_idle_rank_0_waits),
        TEST(results_wait_while_the_disk_is_behind),
        TEST(another_rank_stores_its_results_and_reports_them),
        TEST(logs_of_several_ranks_take_more),
        TEST(a_busy_rank_0_is_the_limit),
        TEST(what_the_dispatcher_computes_takes_time),
        TEST(equal_workers_share_equally),
        TEST(unequal_workers_end_together),
        TEST(guesses_far_too_low_leave_nobody_out),
        TEST(a_thousand_ranks_are_served),
        TEST(a_run_without_tasks_ends_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
