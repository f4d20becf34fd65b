/*
 * test_worker_turns.c - a worker of a shared device computes in its turns only.
 */
#include "tests/support/unit_test.h"

#include "tests/worker/device_sim.h"

enum { WAITS = 3 }; /* for each turn */

/* The device thread's, until the worker is gone. */
static struct {
    turns_t base;
    int n_waits, n_turns, n_wrong_ends;
    int begun_at; /* batches that were submitted before this turn */
    bool has_it;
} fake;

static bool take_turn(turns_t *t)
{
    (void)t;
    if (!fake.has_it && fake.n_waits++ % WAITS == WAITS - 1) {
        fake.has_it = true;
        fake.n_turns++;
        fake.begun_at = atomic_load(&device.n_submits);
    }
    return fake.has_it;
}

/* A turn is of one batch. */
static bool is_over(turns_t *t)
{
    (void)t;
    return fake.has_it && atomic_load(&device.n_submits) > fake.begun_at;
}

static bool is_shared(turns_t *t)
{
    (void)t;
    return true;
}

static void end_turn(turns_t *t)
{
    (void)t;
    fake.n_wrong_ends +=
        atomic_load(&device.n_submits) != atomic_load(&device.n_collects);
    fake.has_it = false;
}

static int begin_shared(void **state)
{
    memset(&fake, 0, sizeof(fake));
    fake.base = (turns_t){take_turn, is_over, is_shared, end_turn};
    turns = &fake.base;
    return begin_two(state);
}

static int end_shared(void **state)
{
    turns = NULL;
    return end(state);
}

static void each_batch_has_a_turn_of_its_own(void **state)
{
    (void)state;
    give(0, 4 * LIMIT);
    assert_int_equal(take_all(4 * LIMIT), 4 * LIMIT);
    assert_returned_once(4 * LIMIT);
    assert_true(worker_stop(w, WAIT_S));
    assert_int_equal(fake.n_turns, atomic_load(&device.n_submits));
    assert_int_equal(fake.n_wrong_ends, 0);
    assert_false(fake.has_it);
}

/* At a rate of 400 and a cost of 10 per task, a quarter of a second holds 10 tasks. */
static void batches_are_short(void **state)
{
    (void)state;
    assert_true(worker_stop(w, WAIT_S));
    worker_destroy(w);
    w = NULL;
    device.base.max_batch = N_MAX;
    device.base.cancel = 0;
    assert_int_equal(create_worker(400), ST_OK);
    give(0, 64);
    assert_int_equal(take_all(64), 64);
    assert_int_equal(device.sizes[0], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_batch_has_a_turn_of_its_own, begin_shared,
                                        end_shared),
        cmocka_unit_test_setup_teardown(batches_are_short, begin_shared, end_shared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
