/*
 * test_transport_simulated.c - times of simulated workers and a simulated network, by
 * hand.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/protocol.h"
#include "dispatcher/simulate/simulated_run.h"

#include <math.h>
#include <string.h>

/* A task costs 5: half a second at rate 10.  A message of 100 bytes takes the link 0.1 s,
 * and arrives 1 s later. */
static const double rate[2] = {10, 10};
static double computed; /* what the clock shows */

static int64_t cost(const job_t *job, int64_t task)
{
    (void)job;
    (void)task;
    return 5;
}

static double clock_s(void)
{
    return computed;
}

static const job_ops_t ops = {.cost = cost};
static const job_t job = {.ops = &ops};
static const simulated_opts_t opts = {.n_ranks = 2,
                                      .rate = rate,
                                      .guess = rate,
                                      .seed = 1,
                                      .latency_s = 1,
                                      .bytes_per_s = 1000,
                                      .result_bytes = 100 - sizeof(result_head_t),
                                      .job = &job,
                                      .clock = clock_s};
static transport_t *t;

static int begin(void **state)
{
    (void)state;
    computed = 0;
    return transport_simulated_create(&opts, &t);
}

static int end(void **state)
{
    (void)state;
    t->destroy(t);
    return 0;
}

static void send_tasks(int to, int n)
{
    buf_t data = {0};

    for (int64_t task = 0; task < n; task++)
        assert_int_equal(buf_append(&data, &task, sizeof(task)), ST_OK);
    assert_int_equal(t->send(t, to, TAG_GRANT, &data), ST_OK);
    assert_null(data.data);
}

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-9)
        fail_msg("%.9f is not %.9f", a, b);
}

/* Wait for the next message, which must arrive at this time. */
static message_t message_at(double when)
{
    message_t m = {0};
    bool got;
    double at;

    assert_int_equal(transport_simulated_next(t, &at), ST_OK);
    assert_near(at, when);
    assert_int_equal(t->receive(t, &m, &got), ST_OK);
    assert_false(got);
    transport_simulated_wait(t, at - transport_simulated_now(t));
    assert_int_equal(transport_simulated_advance(t), ST_OK);
    assert_int_equal(t->receive(t, &m, &got), ST_OK);
    assert_true(got);
    return m;
}

static void assert_result_at(double when, int source, int64_t task)
{
    message_t m = message_at(when);
    result_head_t head;

    assert_int_equal(m.tag, TAG_RESULT);
    assert_int_equal(m.source, source);
    assert_int_equal(m.data.len, 100);
    memcpy(&head, m.data.data, sizeof(head));
    assert_int_equal(head.task, task);
    assert_near(head.rate, 10);
    buf_free(&m.data);
}

static void tasks_are_computed_one_after_another(void **state)
{
    double at;

    (void)state;
    send_tasks(0, 2);              /* 16 bytes: arrive at 1.016 */
    assert_result_at(2.616, 0, 0); /* + 0.5 + 0.1 + 1 */
    assert_result_at(3.116, 0, 1);
    assert_int_equal(transport_simulated_next(t, &at), ST_OK);
    assert_true(at == INFINITY);
    assert_near(transport_simulated_link_s(t), 0.2);
    assert_int_equal(transport_simulated_stats(t, 0).n_tasks, 2);
    assert_near(transport_simulated_stats(t, 0).busy_s, 1);
    assert_int_equal(transport_simulated_stats(t, 1).n_tasks, 0);
}

static void messages_pass_the_link_one_after_another(void **state)
{
    (void)state;
    send_tasks(0, 1); /* arrives at 1.008 */
    send_tasks(1, 1); /* arrives at 1.016 */
    assert_result_at(2.608, 0, 0);
    assert_result_at(2.708, 1, 0); /* not at 2.616 */
}

static void a_grant_is_sent_at_the_time_of_the_call(void **state)
{
    (void)state;
    transport_simulated_begin(t);
    computed += 3;
    assert_near(transport_simulated_now(t), 3);
    send_tasks(0, 1);
    computed += 1;
    assert_near(transport_simulated_end(t), 4);
    assert_near(transport_simulated_now(t), 4);
    computed += 5; /* outside of begin and end */
    assert_near(transport_simulated_now(t), 4);
    assert_result_at(5.608, 0, 0);
}

static void stop_drops_the_current_task(void **state)
{
    stopped_t stopped;
    buf_t empty = {0};
    message_t m;

    (void)state;
    send_tasks(1, 3); /* arrives at 1.024 */
    transport_simulated_wait(t, 0.7);
    assert_int_equal(t->send(t, 1, TAG_STOP, &empty), ST_OK); /* arrives at 1.7 */
    assert_result_at(2.624, 1, 0);
    m = message_at(2.7 + sizeof(stopped) / 1000.0);
    assert_int_equal(m.tag, TAG_STOPPED);
    memcpy(&stopped, m.data.data, sizeof(stopped));
    assert_int_equal(stopped.stats.n_tasks, 1);
    assert_near(stopped.stats.busy_s, 1.7 - 1.024);
    buf_free(&m.data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tasks_are_computed_one_after_another),
        TEST(messages_pass_the_link_one_after_another),
        TEST(a_grant_is_sent_at_the_time_of_the_call),
        TEST(stop_drops_the_current_task),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
