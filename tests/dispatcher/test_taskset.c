/*
 * test_taskset.c - the most expensive tasks are granted first, each until it is finished.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/free_state.h"

/* Eight tasks at most; every test has its own costs and finished tasks. */
enum { N = 8 };

typedef struct {
    int64_t cost[N];
    bool done[N];
} list_t;

static int64_t cost(const void *ctx, int64_t task)
{
    return ((const list_t *)ctx)->cost[task];
}

static bool is_done(const void *ctx, int64_t task)
{
    return ((const list_t *)ctx)->done[task];
}

static taskset_t *set_of(int64_t n, const list_t *list)
{
    taskset_t *ts = NULL;

    assert_int_equal(taskset_create(n, 1, cost, is_done, list, &ts), ST_OK);
    return ts;
}

static int64_t take(taskset_t *ts)
{
    int64_t task = taskset_next(ts, NULL, NULL);

    if (task >= 0)
        assert_int_equal(taskset_take(ts, task), ST_OK);
    return task;
}

static void the_most_expensive_tasks_are_granted_first(void **state)
{
    static const list_t list = {.cost = {3, 50, 4, 1, 9, 20, 6, 0}};
    static const int64_t order[N] = {1, 5, 4, 6, 2, 0, 3, 7};
    taskset_t *ts = set_of(N, &list);

    (void)state;
    for (int i = 0; i < N; i++)
        assert_int_equal(take(ts), order[i]);
    assert_int_equal(taskset_next(ts, NULL, NULL), -1);
    taskset_destroy(ts);
}

static void tasks_of_similar_cost_are_granted_by_number(void **state)
{
    /* classes: 64 to 95, 96 to 127, 128 to 191 */
    static const list_t list = {.cost = {64, 95, 128, 80, 191, 96, 127, 140}};
    static const int64_t order[N] = {2, 4, 7, 5, 6, 0, 1, 3};
    taskset_t *ts = set_of(N, &list);

    (void)state;
    for (int i = 0; i < N; i++)
        assert_int_equal(take(ts), order[i]);
    taskset_destroy(ts);
}

static void finished_tasks_are_not_granted(void **state)
{
    static const list_t list = {.cost = {1, 2, 3, 4}, .done = {false, true, false, true}};
    taskset_t *ts = set_of(4, &list);

    (void)state;
    assert_int_equal(taskset_n_done(ts), 2);
    assert_true(taskset_cost_left(ts) == 1 + 3);
    assert_int_equal(take(ts), 2);
    assert_int_equal(take(ts), 0);
    assert_int_equal(taskset_next(ts, NULL, NULL), -1);
    assert_false(taskset_finish(ts, 3));
    assert_int_equal(taskset_n_done(ts), 2);
    taskset_destroy(ts);
}

static void reading_the_next_task_does_not_take_it(void **state)
{
    static const list_t list = {.cost = {1, 2}};
    taskset_t *ts = set_of(2, &list);

    (void)state;
    assert_int_equal(taskset_next(ts, NULL, NULL), 1);
    assert_int_equal(taskset_next(ts, NULL, NULL), 1);
    assert_true(taskset_cost_left(ts) == 3);
    assert_int_equal(taskset_take(ts, 1), ST_OK);
    assert_int_equal(taskset_next(ts, NULL, NULL), 0);
    assert_true(taskset_cost_left(ts) == 1);
    taskset_destroy(ts);
}

static void a_task_that_was_put_back_is_granted_before_any_other(void **state)
{
    static const list_t list = {.cost = {10, 9, 8, 7, 6, 5, 4, 3}};
    taskset_t *ts = set_of(N, &list);

    (void)state;
    assert_int_equal(take(ts), 0);
    assert_int_equal(take(ts), 1);
    assert_int_equal(take(ts), 2);
    assert_int_equal(taskset_put_back(ts, 1), ST_OK);
    assert_true(taskset_cost_left(ts) == 9 + 7 + 6 + 5 + 4 + 3);
    assert_int_equal(take(ts), 1);
    assert_int_equal(take(ts), 3);
    assert_true(taskset_cost_left(ts) == 6 + 5 + 4 + 3);
    taskset_destroy(ts);
}

static void all_tasks_that_were_put_back_are_granted_once_more(void **state)
{
    static const list_t list = {.cost = {1, 1, 1, 1, 1, 1, 1, 1}};
    int times[N] = {0};
    taskset_t *ts = set_of(N, &list);

    (void)state;
    while (take(ts) >= 0)
        continue;
    for (int64_t task = 0; task < N; task++)
        assert_int_equal(taskset_put_back(ts, task), ST_OK);
    for (int64_t task; (task = take(ts)) >= 0;)
        times[task]++;
    for (int i = 0; i < N; i++)
        assert_int_equal(times[i], 1);
    assert_true(taskset_cost_left(ts) == 0);
    taskset_destroy(ts);
}

static void a_task_that_nobody_holds_cannot_be_put_back(void **state)
{
    static const list_t list = {.cost = {3, 2}};
    taskset_t *ts = set_of(2, &list);

    (void)state;
    assert_int_equal(taskset_put_back(ts, 0), ST_OK);
    assert_true(taskset_cost_left(ts) == 5);
    assert_int_equal(take(ts), 0);
    assert_int_equal(take(ts), 1);
    assert_int_equal(taskset_next(ts, NULL, NULL), -1);
    taskset_destroy(ts);
}

static void a_task_is_finished_once(void **state)
{
    static const list_t list = {.cost = {3, 2}};
    taskset_t *ts = set_of(2, &list);

    (void)state;
    assert_int_equal(take(ts), 0);
    assert_true(taskset_finish(ts, 0));
    assert_false(taskset_finish(ts, 0));
    assert_int_equal(taskset_n_done(ts), 1);
    taskset_destroy(ts);
}

static void a_finished_task_is_not_put_back(void **state)
{
    static const list_t list = {.cost = {3, 2}};
    taskset_t *ts = set_of(2, &list);

    (void)state;
    assert_int_equal(take(ts), 0);
    assert_true(taskset_finish(ts, 0));
    assert_int_equal(taskset_put_back(ts, 0), ST_OK);
    assert_int_equal(take(ts), 1);
    assert_int_equal(taskset_next(ts, NULL, NULL), -1);
    taskset_destroy(ts);
}

static void a_task_that_was_put_back_and_then_finished_is_not_granted_again(void **state)
{
    static const list_t list = {.cost = {9, 8, 7, 6}};
    taskset_t *ts = set_of(4, &list);

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(ts), i);
    for (int i = 0; i < 3; i++) /* 2 is on top */
        assert_int_equal(taskset_put_back(ts, i), ST_OK);
    assert_true(taskset_finish(ts, 1));
    assert_true(taskset_finish(ts, 2));
    assert_true(taskset_cost_left(ts) == 9 + 6);
    assert_int_equal(take(ts), 0);
    assert_int_equal(take(ts), 3);
    assert_int_equal(taskset_next(ts, NULL, NULL), -1);
    assert_true(taskset_cost_left(ts) == 0);
    assert_false(taskset_finish(ts, 2));
    assert_int_equal(taskset_n_done(ts), 2);
    taskset_destroy(ts);
}

static void a_task_that_was_finished_first_is_never_granted(void **state)
{
    static const list_t list = {.cost = {9, 8, 7}};
    taskset_t *ts = set_of(3, &list);

    (void)state;
    assert_true(taskset_finish(ts, 0));
    assert_true(taskset_finish(ts, 1));
    assert_int_equal(take(ts), 2);
    assert_int_equal(taskset_next(ts, NULL, NULL), -1);
    assert_true(taskset_cost_left(ts) == 0);
    taskset_destroy(ts);
}

static void an_empty_set_has_nothing_to_grant(void **state)
{
    static const list_t list = {.cost = {0}};
    taskset_t *ts = set_of(0, &list);

    (void)state;
    assert_int_equal(taskset_next(ts, NULL, NULL), -1);
    assert_int_equal(taskset_n_done(ts), 0);
    assert_true(taskset_cost_left(ts) == 0);
    taskset_destroy(ts);
    taskset_destroy(NULL);
}

/* Worker `who` may have copies of even tasks only. */
static bool is_even(const void *who, int64_t task)
{
    (void)who;
    return task % 2 == 0;
}

static void copies_are_granted_before_new_tasks_to_those_who_may(void **state)
{
    static const list_t list = {.cost = {9, 8, 7}};
    taskset_t *ts = NULL;

    (void)state;
    assert_int_equal(taskset_create(3, 2, cost, is_done, &list, &ts), ST_OK);
    assert_true(taskset_cost_left(ts) == 2 * 24);
    assert_int_equal(take(ts), 0);
    assert_int_equal(taskset_n_held(ts, 0), 1);
    assert_int_equal(take(ts), 0);
    assert_int_equal(take(ts), 1);
    assert_true(taskset_cost_left(ts) == 8 + 2 * 7);
    assert_int_equal(taskset_next(ts, NULL, NULL), 1);
    assert_int_equal(taskset_next(ts, is_even, NULL), 2);
    taskset_destroy(ts);
}

static void an_answered_task_has_no_more_copies(void **state)
{
    static const list_t list = {.cost = {9, 8}};
    taskset_t *ts = set_of(2, &list);

    (void)state;
    assert_int_equal(take(ts), 0);
    taskset_copy(ts, 0);
    assert_int_equal(taskset_n_held(ts, 0), 2);
    assert_int_equal(taskset_add(ts, 0), ST_OK);
    assert_true(taskset_cost_left(ts) == 9 + 8);
    assert_true(taskset_answer(ts, 0));
    assert_false(taskset_answer(ts, 0));
    assert_true(taskset_cost_left(ts) == 8);
    assert_int_equal(taskset_put_back(ts, 0), ST_OK);
    taskset_release(ts, 0);
    assert_int_equal(taskset_n_held(ts, 0), 0);
    assert_int_equal(take(ts), 1);
    assert_int_equal(taskset_next(ts, NULL, NULL), -1);
    assert_int_equal(taskset_n_done(ts), 0);
    assert_true(taskset_finish(ts, 0));
    taskset_destroy(ts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_expensive_tasks_are_granted_first),
        cmocka_unit_test(tasks_of_similar_cost_are_granted_by_number),
        cmocka_unit_test(finished_tasks_are_not_granted),
        cmocka_unit_test(reading_the_next_task_does_not_take_it),
        cmocka_unit_test(a_task_that_was_put_back_is_granted_before_any_other),
        cmocka_unit_test(all_tasks_that_were_put_back_are_granted_once_more),
        cmocka_unit_test(a_task_that_nobody_holds_cannot_be_put_back),
        cmocka_unit_test(a_task_is_finished_once),
        cmocka_unit_test(a_finished_task_is_not_put_back),
        cmocka_unit_test(a_task_that_was_put_back_and_then_finished_is_not_granted_again),
        cmocka_unit_test(a_task_that_was_finished_first_is_never_granted),
        cmocka_unit_test(copies_are_granted_before_new_tasks_to_those_who_may),
        cmocka_unit_test(an_answered_task_has_no_more_copies),
        cmocka_unit_test(an_empty_set_has_nothing_to_grant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
