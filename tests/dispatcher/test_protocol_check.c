/*
 * test_protocol_check.c - messages of ranks that are not trusted: what a device and a
 * client send is taken, everything else is refused.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/protocol.h"

#include <math.h>
#include <string.h>

enum { TASKS = 10 };

static const job_t free_job = {.plan = {.kind = JOB_FREE, .n_tasks = TASKS}},
                   gang_job = {.plan = {.kind = JOB_GANG, .n_tasks = TASKS}};

static bool is_refused_of(const job_t *job, int tag, const void *data, size_t len,
                          bool to_client)
{
    message_t m = {.source = 1, .tag = tag};
    const char *why;

    assert_int_equal(buf_append(&m.data, data, len), ST_OK);
    why = message_refusal(job, &m, to_client);
    assert_true(why == NULL || strncmp(why, "sent ", 5) == 0);
    buf_free(&m.data);
    return why != NULL;
}

static bool is_refused(int tag, const void *data, size_t len, bool to_client)
{
    return is_refused_of(&free_job, tag, data, len, to_client);
}

/* Two results of 3 and 4 bytes, which a test changes. */
typedef struct __attribute__((packed)) {
    result_head_t first;
    char first_data[3];
    result_head_t second;
    char second_data[4];
} two_results_t;

static two_results_t two_results(void)
{
    return (two_results_t){.first = {.task = 0, .rate = 1e9, .len = 3},
                           .second = {.task = TASKS - 1, .rate = 0, .len = 4}};
}

static bool is_result_refused(const two_results_t *r)
{
    return is_refused(TAG_RESULT, r, sizeof(*r), true);
}

static void results_of_tasks_are_taken(void **state)
{
    two_results_t r = two_results();

    (void)state;
    assert_false(is_result_refused(&r));
    assert_false(is_refused(TAG_RESULT, NULL, 0, true));
    r.second.version = JOB_REFERENCE;
    assert_false(is_result_refused(&r));
}

static void results_that_lie_about_their_length_are_refused(void **state)
{
    static const uint64_t lengths[] = {
        3, 5, 1000, INT64_MAX, UINT64_MAX, UINT64_MAX - sizeof(result_head_t) + 1};
    two_results_t r = two_results();

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        r.second.len = lengths[i];
        assert_true(is_result_refused(&r));
    }
    r = two_results();
    for (size_t len = 1; len < sizeof(r); len++)
        if (len != sizeof(result_head_t) + 3)
            assert_true(is_refused(TAG_RESULT, &r, len, true));
}

static void results_of_no_task_are_refused(void **state)
{
    static const int64_t tasks[] = {-1, TASKS, INT64_MIN, INT64_MAX};
    static const int64_t versions[] = {-1, JOB_REFERENCE + 1, INT64_MAX};
    two_results_t r;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        r = two_results();
        r.second.task = tasks[i];
        assert_true(is_result_refused(&r));
    }
    for (size_t i = 0; i < 3; i++) {
        r = two_results();
        r.first.version = versions[i];
        assert_true(is_result_refused(&r));
    }
}

static void rates_that_are_no_numbers_are_refused(void **state)
{
    const double rates[] = {NAN, INFINITY, -1};
    const double rate = 5;
    two_results_t r = two_results();

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        r.first.rate = rates[i];
        assert_true(is_result_refused(&r));
        assert_true(is_refused(TAG_LOST, &rates[i], sizeof(double), true));
    }
    assert_false(is_refused(TAG_LOST, &rate, sizeof(rate), true));
    assert_true(is_refused(TAG_LOST, &rate, sizeof(rate) - 1, true));
}

static void errors_that_exist_are_taken(void **state)
{
    (void)state;
    for (int32_t why = -20; why <= 5; why++)
        assert_int_equal(is_refused(TAG_FAILED, &why, sizeof(why), true),
                         why < ST_ELOST || why >= ST_OK);
}

static void orders_of_servers_are_known(void **state)
{
    retreat_order_t o = {.order = -1};

    (void)state;
    for (; o.order <= LENT_N_ORDERS; o.order++)
        assert_int_equal(is_refused(TAG_RETREAT, &o, sizeof(o), true),
                         o.order < 0 || o.order >= LENT_N_ORDERS);
    o = (retreat_order_t){.to = -1};
    assert_true(is_refused(TAG_RETREAT, &o, sizeof(o), true));
    assert_true(is_refused(TAG_RETREAT, NULL, 0, true));
}

static void the_end_of_a_worker_has_possible_numbers(void **state)
{
    stopped_t s = {.stats = {.n_tasks = 3, .cost = 1, .busy_s = 2, .rate = 3}};

    (void)state;
    assert_false(is_refused(TAG_STOPPED, &s, sizeof(s), true));
    assert_true(is_refused(TAG_STOPPED, &s, sizeof(s) - 1, true));
    s.log_bytes = 1; /* it keeps no log */
    assert_true(is_refused(TAG_STOPPED, &s, sizeof(s), true));
    s.log_bytes = 0;
    s.stats.busy_s = NAN;
    assert_true(is_refused(TAG_STOPPED, &s, sizeof(s), true));
}

static void what_the_other_side_sends_is_refused(void **state)
{
    static const int to_client[] = {TAG_RESULT,  TAG_LOST,     TAG_FAILED,
                                    TAG_STOPPED, TAG_STOPPING, TAG_LEAVING};
    static const int to_device[] = {TAG_GRANT, TAG_CHECK, TAG_HANGS,
                                    TAG_STOP,  TAG_EXIT,  TAG_LEAVE};
    static const int to_none[] = {TAG_STORED,
                                  TAG_UNSTORED,
                                  TAG_COPY,
                                  TAG_COPIED,
                                  TAG_FINISHED,
                                  TAG_STATE,
                                  TAG_STOP_REQUEST,
                                  TAG_BEGIN,
                                  TAG_ORDERS,
                                  TAG_STEPS,
                                  0,
                                  1000,
                                  -1};
    const int64_t data[8] = {0};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        assert_true(is_refused(to_device[i], data, sizeof(data), true));
        assert_true(is_refused(to_client[i], data, sizeof(data), false));
    }
    for (size_t i = 0; i < sizeof(to_none) / sizeof(*to_none); i++) {
        assert_true(is_refused(to_none[i], NULL, 0, true));
        assert_true(is_refused(to_none[i], NULL, 0, false));
    }
}

static void grants_name_tasks(void **state)
{
    int64_t tasks[3] = {0, TASKS - 1, 5};
    worker_check_t check = {.task = 3, .how = JOB_ALTERNATIVE};

    (void)state;
    assert_false(is_refused(TAG_GRANT, NULL, 0, false));
    assert_false(is_refused(TAG_GRANT, tasks, sizeof(tasks), false));
    assert_true(is_refused(TAG_GRANT, tasks, sizeof(tasks) - 1, false));
    tasks[2] = TASKS;
    assert_true(is_refused(TAG_GRANT, tasks, sizeof(tasks), false));
    assert_false(is_refused(TAG_CHECK, &check, sizeof(check), false));
    assert_true(is_refused(TAG_CHECK, &check, sizeof(check) - 8, false));
    check.how = JOB_REFERENCE + 1;
    assert_true(is_refused(TAG_CHECK, &check, sizeof(check), false));
    assert_true(is_refused(TAG_STOP, tasks, 1, false));
    assert_true(is_refused(TAG_EXIT, tasks, sizeof(exit_t) - 1, false));
    assert_false(is_refused(TAG_EXIT, tasks, sizeof(exit_t), false));
}

static bool is_gang_refused(int tag, const void *data, size_t len, bool to_client)
{
    return is_refused_of(&gang_job, tag, data, len, to_client);
}

static void a_gang_has_checkpoints_and_orders(void **state)
{
    const gang_orders_t right = {1, 0, -1}, wrong[] = {{2, 0, 3}, {0, -1, 3}, {0, 0, -2}};
    gang_state_t task = {.task = TASKS - 1, .version = 3};
    int64_t n = 5;

    (void)state;
    assert_false(is_gang_refused(TAG_STATE, &task, sizeof(task), false));
    assert_true(is_gang_refused(TAG_STATE, &task, sizeof(task) - 1, false));
    assert_true(is_gang_refused(TAG_STATE, &task, sizeof(task), true));
    task.task = TASKS;
    assert_true(is_gang_refused(TAG_STATE, &task, sizeof(task), false));
    assert_false(is_gang_refused(TAG_ORDERS, &right, sizeof(right), false));
    for (int i = 0; i < 3; i++)
        assert_true(is_gang_refused(TAG_ORDERS, &wrong[i], sizeof(wrong[i]), false));
    assert_false(is_gang_refused(TAG_BEGIN, &n, sizeof(n), false));
    assert_false(is_gang_refused(TAG_STEPS, &n, sizeof(n), true));
    assert_true(is_gang_refused(TAG_STEPS, &n, sizeof(n) - 1, true));
    n = -1;
    assert_false(is_gang_refused(TAG_BEGIN, &n, sizeof(n), false));
    assert_true(is_gang_refused(TAG_STEPS, &n, sizeof(n), true));
    n = -2;
    assert_true(is_gang_refused(TAG_BEGIN, &n, sizeof(n), false));
}

static void a_gang_has_no_grants(void **state)
{
    const int64_t task = 1;
    const double rate = 1;

    (void)state;
    assert_true(is_gang_refused(TAG_GRANT, &task, sizeof(task), false));
    assert_true(is_gang_refused(TAG_CHECK, NULL, 0, false));
    assert_true(is_gang_refused(TAG_HANGS, NULL, 0, false));
    assert_true(is_gang_refused(TAG_LOST, &rate, sizeof(rate), true));
}

static void a_gang_ends_with_a_number_of_steps(void **state)
{
    unsigned char data[sizeof(worker_finish_t)] = {0};
    const int64_t before = -1;

    (void)state;
    assert_false(is_gang_refused(TAG_FINISHED, data, sizeof(data), true));
    assert_true(is_gang_refused(TAG_FINISHED, data, sizeof(data) - 1, true));
    data[offsetof(worker_finish_t, is_over)] = 2; /* no bool */
    assert_true(is_gang_refused(TAG_FINISHED, data, sizeof(data), true));
    data[offsetof(worker_finish_t, is_over)] = 1;
    memcpy(data + offsetof(worker_finish_t, n_steps), &before, sizeof(before));
    assert_true(is_gang_refused(TAG_FINISHED, data, sizeof(data), true));
}

static void results_of_a_gang_have_any_version(void **state)
{
    result_head_t head = {.task = 1, .version = 1000};

    (void)state;
    assert_false(is_gang_refused(TAG_RESULT, &head, sizeof(head), true));
    assert_true(is_refused(TAG_RESULT, &head, sizeof(head), true));
    head.version = -1;
    assert_true(is_gang_refused(TAG_RESULT, &head, sizeof(head), true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_tasks_are_taken),
        cmocka_unit_test(results_that_lie_about_their_length_are_refused),
        cmocka_unit_test(results_of_no_task_are_refused),
        cmocka_unit_test(rates_that_are_no_numbers_are_refused),
        cmocka_unit_test(errors_that_exist_are_taken),
        cmocka_unit_test(orders_of_servers_are_known),
        cmocka_unit_test(the_end_of_a_worker_has_possible_numbers),
        cmocka_unit_test(what_the_other_side_sends_is_refused),
        cmocka_unit_test(grants_name_tasks),
        cmocka_unit_test(a_gang_has_checkpoints_and_orders),
        cmocka_unit_test(a_gang_has_no_grants),
        cmocka_unit_test(a_gang_ends_with_a_number_of_steps),
        cmocka_unit_test(results_of_a_gang_have_any_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
