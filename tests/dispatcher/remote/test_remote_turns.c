/*
 * test_remote_turns.c - who has the device next, whatever processes do with their turns.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/remote/remote_turns.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = 3 };

static remote_turns_t turns;
static remote_page_t pages[RUNS];
static turn_t of[RUNS];
static turn_run_t runs[RUNS];
static double now;

static void set_run(int i, const char *user, double weight)
{
    pages[i] = (remote_page_t){.device = 1, .is_busy = 1};
    of[i] = (turn_t){.state = TURN_NONE};
    runs[i] = (turn_run_t){user, weight, &pages[i], 1, &of[i]};
}

static int begin(void **state)
{
    (void)state;
    turns = (remote_turns_t){.n = 0};
    now = 1000;
    set_run(0, "alice", 1);
    set_run(1, "bob", 1);
    set_run(2, "bob", 1);
    return 0;
}

static void look(void)
{
    for (int i = 0; i < RUNS; i++)
        runs[i].device = page_device(&pages[i]);
    remote_turns_look(&turns, runs, RUNS, now);
}

static void ask(int i)
{
    remote_turns_ask(&turns, &runs[i], now);
    look();
}

static void end(int i)
{
    remote_turns_end(&turns, &runs[i], now);
    look();
}

/* Those that are to end do so a tenth of a second later, and ask again.
 * @param held  [RUNS] out: seconds that each had in all */
static void run_for(double seconds, double *held)
{
    memset(held, 0, RUNS * sizeof(*held));
    for (double until = now + seconds; now < until; now += 0.1) {
        look();
        for (int i = 0; i < RUNS; i++)
            held[i] += of[i].state == TURN_HAS ? 0.1 : 0;
        for (int i = 0; i < RUNS; i++)
            if (of[i].state == TURN_HAS && pages[i].is_over != 0) {
                end(i);
                ask(i);
            }
    }
}

static void one_has_the_device_at_a_time(void **state)
{
    (void)state;
    ask(0);
    assert_int_equal(of[0].state, TURN_HAS);
    assert_int_equal(pages[0].n_turns, 1);
    ask(1);
    assert_int_equal(of[1].state, TURN_WAITS);
    assert_int_equal(pages[0].is_over, 0);
    now += 0.3;
    look();
    assert_int_equal(pages[0].is_over, 1);
    assert_int_equal(of[1].state, TURN_WAITS);
    end(0);
    assert_int_equal(of[1].state, TURN_HAS);
    assert_int_equal(pages[1].n_turns, 1);
    assert_int_equal(pages[1].is_over, 0);
}

static void devices_are_shared_by_those_who_compute(void **state)
{
    (void)state;
    pages[2].device = 0;
    look();
    assert_int_equal(pages[0].is_shared, 1);
    assert_int_equal(pages[2].is_shared, 0);
    pages[1].is_busy = 0;
    pages[2].device = 1 << 20; /* of a process that lies */
    look();
    assert_int_equal(pages[0].is_shared, 0);
}

static void nobody_waits_for_a_device_that_nobody_else_wants(void **state)
{
    (void)state;
    ask(0);
    now += 100;
    look();
    assert_int_equal(pages[0].is_over, 0);
    assert_int_equal(of[0].state, TURN_HAS);
}

/* Two runs of one user have no more than one run of another. */
static void users_have_equal_time(void **state)
{
    double held[RUNS];

    (void)state;
    for (int i = 0; i < RUNS; i++)
        ask(i);
    run_for(60, held);
    assert_float_equal(held[0], 30, 1);
    assert_float_equal(held[1] + held[2], 30, 1);
    assert_float_equal(held[1], 15, 1);
}

static void weights_divide_it(void **state)
{
    double held[RUNS];

    (void)state;
    runs[0].weight = 3;
    ask(0);
    ask(1);
    run_for(60, held);
    assert_float_equal(held[0], 45, 1);
    assert_float_equal(held[1], 15, 1);
}

static void who_was_away_gains_nothing(void **state)
{
    double held[RUNS];

    (void)state;
    ask(0);
    now += 1000;
    end(0);
    ask(0);
    ask(1);
    run_for(60, held);
    assert_float_equal(held[0], 30, 1.5);
    assert_float_equal(held[1], 30, 1.5);
}

/* What users have had counts among those who were there. */
static void who_ran_for_long_does_not_wait_for_new_users(void **state)
{
    double held[RUNS];

    (void)state;
    set_run(2, "carol", 1);
    ask(0);
    ask(1);
    run_for(600, held);
    end(0);
    end(1);
    ask(2);
    ask(0);
    run_for(60, held);
    assert_float_equal(held[0], 30, 1.5);
    assert_float_equal(held[2], 30, 1.5);
}

static void more_users_than_are_kept_take_turns(void **state)
{
    char name[KEY_NAME_BYTES];
    double held[RUNS];

    (void)state;
    for (int i = 0; i < TURN_USERS_MAX + 3; i++) {
        snprintf(name, sizeof(name), "user %d", i);
        set_run(2, name, 1);
        ask(2);
        now += 1;
        end(2);
    }
    runs[0].weight = 3;
    ask(0);
    ask(1);
    run_for(60, held);
    assert_float_equal(held[0], 45, 1);
    assert_float_equal(held[1], 15, 1);
}

static void who_asks_again_has_ended_its_turn(void **state)
{
    (void)state;
    ask(0);
    ask(1);
    now += 1;
    ask(0);
    assert_int_equal(of[1].state, TURN_HAS);
    assert_int_equal(of[0].state, TURN_WAITS);
    now += 1;
    end(1);
    assert_int_equal(of[0].state, TURN_HAS);
}

static void a_turn_that_does_not_end_is_left(void **state)
{
    (void)state;
    ask(0);
    ask(1);
    now += 1;
    look();
    now += TURN_LATE_S + 1;
    look();
    assert_int_equal(of[0].state, TURN_LATE);
    assert_int_equal(of[1].state, TURN_HAS);
    end(0); /* it has had all that time */
    assert_float_equal(turns.at[0].used_s, 2 + TURN_LATE_S, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_has_the_device_at_a_time, begin),
        cmocka_unit_test_setup(devices_are_shared_by_those_who_compute, begin),
        cmocka_unit_test_setup(nobody_waits_for_a_device_that_nobody_else_wants, begin),
        cmocka_unit_test_setup(users_have_equal_time, begin),
        cmocka_unit_test_setup(weights_divide_it, begin),
        cmocka_unit_test_setup(who_was_away_gains_nothing, begin),
        cmocka_unit_test_setup(who_ran_for_long_does_not_wait_for_new_users, begin),
        cmocka_unit_test_setup(more_users_than_are_kept_take_turns, begin),
        cmocka_unit_test_setup(who_asks_again_has_ended_its_turn, begin),
        cmocka_unit_test_setup(a_turn_that_does_not_end_is_left, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
