/*
 * test_event_queue.c - events come out in order of time; ties in the order they went in.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/simulate/simulated_run.h"

static void push(event_queue_t *q, double at, int kind)
{
    assert_int_equal(event_queue_push(q, (event_t){.at = at, .kind = kind}), ST_OK);
}

static void an_empty_queue_has_no_event(void **state)
{
    event_queue_t q = {0};
    event_t e;

    (void)state;
    assert_null(event_queue_first(&q));
    assert_false(event_queue_pop(&q, &e));
    event_queue_free(&q);
}

static void the_earliest_comes_first(void **state)
{
    event_queue_t q = {0};
    event_t e = {0};
    uint32_t seed = 1;
    double last = -1;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        seed = seed * 1664525 + 1013904223;
        push(&q, seed >> 8, i);
    }
    for (int i = 0; i < 2000; i++) {
        assert_true(event_queue_first(&q)->at >= last);
        assert_true(event_queue_pop(&q, &e));
        assert_true(e.at >= last);
        last = e.at;
    }
    assert_null(event_queue_first(&q));
    event_queue_free(&q);
}

static void ties_in_time_come_out_in_the_order_they_went_in(void **state)
{
    event_queue_t q = {0};
    event_t e = {0};

    (void)state;
    for (int i = 0; i < 300; i++)
        push(&q, i % 3, i);
    for (int i = 0; i < 300; i++) {
        assert_true(event_queue_pop(&q, &e));
        assert_int_equal(e.kind, i % 100 * 3 + i / 100);
    }
    event_queue_free(&q);
}

static void the_data_of_events_is_freed_with_the_queue(void **state)
{
    event_queue_t q = {0};
    event_t e = {.at = 1};

    (void)state;
    assert_int_equal(buf_append(&e.data, "grant", 5), ST_OK);
    assert_int_equal(event_queue_push(&q, e), ST_OK);
    event_queue_free(&q);
    assert_null(event_queue_first(&q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_queue_has_no_event),
        cmocka_unit_test(the_earliest_comes_first),
        cmocka_unit_test(ties_in_time_come_out_in_the_order_they_went_in),
        cmocka_unit_test(the_data_of_events_is_freed_with_the_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
