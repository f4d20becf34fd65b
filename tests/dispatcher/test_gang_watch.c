/*
 * test_gang_watch.c - rank 0's view of a gang: a checkpoint counts once all of it is
 * stored.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/gang_watch.h"
#include "io/base/clock.h"

static gang_watch_t g;

static void begin(int64_t checkpoint_steps, double checkpoint_s, int64_t complete)
{
    const job_plan_t plan = {.kind = JOB_GANG,
                             .n_tasks = 3,
                             .checkpoint_steps = checkpoint_steps,
                             .checkpoint_s = checkpoint_s};

    gang_watch_begin(&g, &plan, 2, complete);
}

static void a_checkpoint_is_kept_when_all_its_tasks_are(void **state)
{
    (void)state;
    begin(10, 0, -1);
    assert_int_equal(gang_watch_orders(&g).kept, -1);
    gang_watch_note_kept(&g, 10);
    gang_watch_note_kept(&g, 10);
    assert_int_equal(gang_watch_orders(&g).kept, -1);
    gang_watch_note_kept(&g, 10);
    assert_int_equal(gang_watch_orders(&g).kept, 10);
    gang_watch_note_kept(&g, 20);
    assert_int_equal(gang_watch_orders(&g).kept, 10);
}

static void a_resumed_gang_has_a_checkpoint_from_the_start(void **state)
{
    (void)state;
    begin(10, 0, 40);
    assert_int_equal(gang_watch_orders(&g).kept, 40);
    assert_int_equal(g.first_step, 40);
}

static void time_decides_where_steps_do_not(void **state)
{
    (void)state;
    begin(10, 1e-9, -1);
    assert_false(gang_watch_orders(&g).checkpoint);
    begin(0, 1e6, -1);
    assert_false(gang_watch_orders(&g).checkpoint);
    g.complete_s = clock_now_s() - 2e6;
    assert_true(gang_watch_orders(&g).checkpoint);
    for (int i = 0; i < 3; i++)
        gang_watch_note_kept(&g, 5);
    assert_false(gang_watch_orders(&g).checkpoint);
}

static void the_gang_is_finished_when_every_rank_is(void **state)
{
    const worker_finish_t finish = {.n_steps = 7, .is_over = true};

    (void)state;
    begin(10, 0, -1);
    assert_false(gang_watch_note_finish(&g, &finish));
    assert_true(gang_watch_note_finish(&g, &finish));
    assert_true(g.is_over);
    assert_int_equal(g.n_steps, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_is_kept_when_all_its_tasks_are),
        cmocka_unit_test(a_resumed_gang_has_a_checkpoint_from_the_start),
        cmocka_unit_test(time_decides_where_steps_do_not),
        cmocka_unit_test(the_gang_is_finished_when_every_rank_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
