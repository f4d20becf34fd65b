/*
 * test_message_queue.c - messages leave in the order in which they arrived.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/transport/transport.h"

static void push(message_queue_t *q, int number)
{
    buf_t data = {0};

    assert_int_equal(buf_append(&data, &number, sizeof(number)), ST_OK);
    assert_int_equal(message_queue_push(q, number % 7, number % 5, &data), ST_OK);
    assert_null(data.data); /* the queue's now */
    assert_int_equal(data.len, 0);
}

static void assert_next_is(message_queue_t *q, int number)
{
    message_t m;

    assert_true(message_queue_pop(q, &m));
    assert_int_equal(m.source, number % 7);
    assert_int_equal(m.tag, number % 5);
    assert_int_equal(m.data.len, sizeof(number));
    assert_memory_equal(m.data.data, &number, sizeof(number));
    buf_free(&m.data);
}

static void assert_empty(message_queue_t *q)
{
    message_t m;

    assert_false(message_queue_pop(q, &m));
}

static void an_empty_queue_has_nothing(void **state)
{
    message_queue_t q = {0};

    (void)state;
    assert_empty(&q);
    message_queue_free(&q);
    assert_empty(&q);
}

static void the_first_in_is_the_first_out(void **state)
{
    message_queue_t q = {0};

    (void)state;
    for (int i = 0; i < 1000; i++)
        push(&q, i);
    for (int i = 0; i < 1000; i++)
        assert_next_is(&q, i);
    assert_empty(&q);
    message_queue_free(&q);
}

/* Three in, two out: it grows with its first message anywhere. */
static void order_is_kept_while_it_fills_and_drains(void **state)
{
    message_queue_t q = {0};
    int in = 0, out = 0;

    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        for (int i = 0; i < 3; i++)
            push(&q, in++);
        for (int i = 0; i < 2; i++)
            assert_next_is(&q, out++);
    }
    while (out < in)
        assert_next_is(&q, out++);
    assert_empty(&q);
    message_queue_free(&q);
}

static void a_steady_queue_does_not_grow(void **state)
{
    message_queue_t q = {0};
    size_t capacity;

    (void)state;
    for (int i = 0; i < 10; i++)
        push(&q, i);
    capacity = q.items.buf.capacity;
    for (int i = 10; i < 1000; i++) {
        assert_next_is(&q, i - 10);
        push(&q, i);
    }
    assert_int_equal(q.items.buf.capacity, capacity);
    message_queue_free(&q);
}

static void a_message_may_be_empty(void **state)
{
    message_queue_t q = {0};
    buf_t nothing = {0};
    message_t m;

    (void)state;
    assert_int_equal(message_queue_push(&q, 2, 5, &nothing), ST_OK);
    assert_true(message_queue_pop(&q, &m));
    assert_int_equal(m.source, 2);
    assert_int_equal(m.tag, 5);
    assert_int_equal(m.data.len, 0);
    buf_free(&m.data);
    message_queue_free(&q);
}

/* A leak checker sees what is not freed. */
static void messages_left_over_are_freed_and_it_can_be_used_again(void **state)
{
    message_queue_t q = {0};

    (void)state;
    for (int i = 0; i < 40; i++)
        push(&q, i);
    assert_next_is(&q, 0);
    message_queue_free(&q);
    assert_empty(&q);
    push(&q, 3);
    assert_next_is(&q, 3);
    message_queue_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_queue_has_nothing),
        cmocka_unit_test(the_first_in_is_the_first_out),
        cmocka_unit_test(order_is_kept_while_it_fills_and_drains),
        cmocka_unit_test(a_steady_queue_does_not_grow),
        cmocka_unit_test(a_message_may_be_empty),
        cmocka_unit_test(messages_left_over_are_freed_and_it_can_be_used_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
