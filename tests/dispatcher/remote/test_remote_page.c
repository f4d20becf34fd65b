/*
 * test_remote_page.c - turns as the process of a run sees them.
 */
#include "dispatcher/remote/remote_control.h"
#include "dispatcher/remote/remote_page.h"
#include "tests/support/unit_test.h"

#include <unistd.h>

static int ends[2]; /* the server's, the process's */
static remote_page_t *page;
static remote_lent_t lent;
static turns_t *turns;

/* @return the kind of the next packet to the server; 0: there is none */
static int next_kind(void)
{
    control_t m;
    int fd;

    return control_receive(ends[0], false, &m, &fd) == 1 ? m.kind : 0;
}

static int begin(void **state)
{
    const control_t answer = {.kind = CONTROL_LOAD};
    const hello_request_t request = {.index = 0};
    int fd;

    (void)state;
    assert_true(control_pair(ends));
    assert_non_null(page = remote_page_create(&fd));
    close(fd);
    assert_true(control_send(ends[0], &answer, -1));
    assert_true(remote_lent_begin(&lent, page, ends[1], "align", &request));
    assert_int_equal(next_kind(), CONTROL_LOAD);
    turns = lent.base.turns;
    return 0;
}

static int end(void **state)
{
    (void)state;
    remote_page_free(page);
    close(ends[0]);
    close(ends[1]);
    return 0;
}

static void a_device_of_ones_own_needs_no_turns(void **state)
{
    (void)state;
    assert_true(turns->take(turns));
    assert_false(turns->is_over(turns));
    turns->end(turns);
    assert_int_equal(next_kind(), 0);
    page->is_shared = 1; /* it has begun without */
    assert_true(turns->is_over(turns));
}

/* Who waits keeps its place: it asks once. */
static void a_turn_is_asked_for_once(void **state)
{
    (void)state;
    page->is_shared = 1;
    for (int i = 0; i < 3; i++) {
        assert_false(turns->take(turns));
        assert_false(turns->is_over(turns));
    }
    assert_int_equal(next_kind(), CONTROL_TURN);
    assert_int_equal(next_kind(), 0);
    page->n_turns++;
    assert_true(turns->take(turns));
    assert_false(turns->is_over(turns));
    page->is_over = 1;
    assert_true(turns->is_over(turns));
    turns->end(turns);
    assert_int_equal(next_kind(), CONTROL_TURN_END);
    turns->end(turns);
    assert_int_equal(next_kind(), 0);
}

/* A server that is behind with packets. */
static void what_could_not_be_asked_is_asked_again(void **state)
{
    const control_t m = {.kind = CONTROL_TURN_END};

    (void)state;
    page->is_shared = 1;
    while (control_send(ends[1], &m, -1)) {
    }
    assert_false(turns->take(turns));
    while (next_kind() != 0) {
    }
    assert_false(turns->take(turns));
    assert_int_equal(next_kind(), CONTROL_TURN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_device_of_ones_own_needs_no_turns, begin, end),
        cmocka_unit_test_setup_teardown(a_turn_is_asked_for_once, begin, end),
        cmocka_unit_test_setup_teardown(what_could_not_be_asked_is_asked_again, begin,
                                        end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
