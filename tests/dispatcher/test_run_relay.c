/*
 * test_run_relay.c - a rank that may run a gang alone: what it refuses, and that it is
 * silent after it has failed.
 */
#include "dispatcher/run_state.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

#include <string.h>

static int n_sent, last_tag;

static status_t take(transport_t *t, int to, int tag, buf_t *data)
{
    (void)t;
    assert_int_equal(to, 0);
    n_sent++;
    last_tag = tag;
    buf_free(data);
    return ST_OK;
}

static transport_t transport = {.send = take};
static const binding_t binding = {.is_idle = false};
static job_t job = {.plan = {.kind = JOB_GANG, .n_tasks = 2, .n_steps = 9}};
static run_t run;

static int begin(void **state)
{
    (void)state;
    run = (run_t){.job = &job, .t = &transport, .binding = &binding};
    run.gang.is_relayed = true;
    n_sent = 0;
    return 0;
}

static void receive(int tag, const void *data, size_t len)
{
    message_t m = {.tag = tag};

    assert_int_equal(buf_append(&m.data, data, len), ST_OK);
    capture_start();
    assert_int_equal(run_relay_receive(&run, &m), ST_OK);
    capture_stop();
    buf_free(&m.data);
}

static void a_begin_without_its_checkpoint_is_refused_once(void **state)
{
    const int64_t version = 3;

    (void)state;
    receive(TAG_BEGIN, &version, sizeof(version));
    assert_logged("the client sent a begin that does not follow a checkpoint");
    assert_true(n_sent == 1 && last_tag == TAG_FAILED);
    receive(TAG_BEGIN, &version, sizeof(version));
    assert_int_equal(n_sent, 1);
}

static void orders_before_the_begin_are_refused(void **state)
{
    const gang_orders_t orders = {.kept = -1};

    (void)state;
    receive(TAG_ORDERS, &orders, sizeof(orders));
    assert_logged("the client sent orders before the begin");
    assert_true(n_sent == 1 && last_tag == TAG_FAILED);
    receive(TAG_ORDERS, &orders, sizeof(orders)); /* they were on their way */
    assert_logged_nothing();
}

/* Rank 0 would leave it for steps of a gang that another rank runs. */
static void a_rank_that_has_failed_reports_no_steps(void **state)
{
    (void)state;
    run.failure_sent = true;
    assert_int_equal(run_relay_report(&run), ST_OK);
    assert_int_equal(n_sent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_begin_without_its_checkpoint_is_refused_once, begin),
        cmocka_unit_test_setup(orders_before_the_begin_are_refused, begin),
        cmocka_unit_test_setup(a_rank_that_has_failed_reports_no_steps, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
