/*
 * test_stream_peer.c - one end of a stream: it sends, reads, and notes that the other end
 * is gone or silent.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/transport/stream_peer.h"
#include "io/base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static stream_peer_t here, there;

static int connect_ends(void **state)
{
    int fd[2];

    (void)state;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0)
        return -1;
    stream_peer_begin(&here, &(stream_end_t){.in = fd[0], .out = fd[0]});
    stream_peer_begin(&there, &(stream_end_t){.in = fd[1], .out = fd[1]});
    return 0;
}

static int free_ends(void **state)
{
    (void)state;
    stream_peer_free(&here);
    stream_peer_free(&there);
    return 0;
}

static void push(const void *data, size_t len)
{
    buf_t copy = {0};

    assert_int_equal(buf_append(&copy, data, len), ST_OK);
    assert_int_equal(
        stream_peer_push(&here,
                         (frame_head_t){.kind = FRAME_MESSAGE, .tag = 3, .len = len},
                         &copy, NULL),
        ST_OK);
}

/* More than a socket holds: both ends take turns. */
static void what_is_pushed_arrives_in_order(void **state)
{
    enum { BYTES = 3 << 20 };
    char *large = calloc(1, BYTES);
    int n = 0;

    (void)state;
    assert_non_null(large);
    large[BYTES - 1] = 1;
    push("small", 5);
    push(large, BYTES);
    while (n < 2) {
        stream_peer_write(&here);
        while (n < 2 && stream_peer_read(&there)) {
            assert_int_equal(there.in.head.len, n == 0 ? 5 : BYTES);
            assert_memory_equal(there.in.data.data, n == 0 ? "small" : large,
                                there.in.head.len);
            frame_reader_next(&there.in);
            n++;
        }
        assert_true(there.is_open);
    }
    assert_null(here.first);
    free(large);
}

static void an_end_that_is_closed_is_left(void **state)
{
    (void)state;
    push("dropped", 7);
    stream_peer_leave(&there, "test");
    stream_end_close(&there.end);
    assert_false(stream_peer_read(&here));
    assert_false(here.is_open);
    assert_string_equal(here.why, "the connection was closed");
    assert_null(here.first);
    assert_true(here.has_lost);
    push("nobody reads this", 17); /* freed: a leak checker sees it */
    assert_null(here.first);
}

static void a_frame_that_is_refused_ends_the_stream(void **state)
{
    static const char junk[64] = "Welcome to gpu.lab!";

    (void)state;
    assert_int_equal(write(there.end.out, junk, sizeof(junk)), sizeof(junk));
    assert_false(stream_peer_read(&here));
    assert_string_equal(here.why, "sent what is no frame");
    assert_false(here.is_open);
}

static void a_silent_end_is_left_after_ten_seconds(void **state)
{
    const double now = here.heard_s;

    (void)state;
    stream_peer_look(&here, now + 9.9, true);
    assert_true(here.is_open);
    stream_peer_look(&here, now + 10.1, true);
    assert_false(here.is_open);
    assert_string_equal(here.why, "nothing was heard of it for 10 s");
}

/* Signs of life go on, but a message is announced as longer than what comes of it. */
static void a_frame_that_does_not_end_is_left(void **state)
{
    const frame_head_t head = {.kind = FRAME_MESSAGE, .tag = 3, .len = 100000},
                       beat = {.kind = FRAME_BEAT};
    const double now = here.heard_s;

    (void)state;
    assert_int_equal(write(there.end.out, &head, sizeof(head)), sizeof(head));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(write(there.end.out, &beat, sizeof(beat)), sizeof(beat));
        assert_false(stream_peer_read(&here));
    }
    here.heard_s = now + 10;
    stream_peer_look(&here, now + 9, true);
    assert_true(here.is_open);
    stream_peer_look(&here, now + 11, true);
    assert_false(here.is_open);
    assert_string_equal(here.why, "it does not finish what it sends");
}

/* However much of it had come before. */
static void a_frame_that_no_longer_grows_is_left(void **state)
{
    const frame_head_t head = {.kind = FRAME_MESSAGE, .tag = 3, .len = 100000};
    static const char some[50000];
    const double now = here.heard_s;

    (void)state;
    assert_int_equal(write(there.end.out, &head, sizeof(head)), sizeof(head));
    assert_int_equal(write(there.end.out, some, sizeof(some)), sizeof(some));
    assert_false(stream_peer_read(&here));
    here.heard_s = now + 20;
    stream_peer_look(&here, now + 11, true);
    assert_true(here.is_open);
    stream_peer_look(&here, now + 22, true);
    assert_false(here.is_open);
}

static void an_end_that_is_not_read_may_be_silent(void **state)
{
    const double now = here.heard_s;

    (void)state;
    stream_peer_look(&here, now + 60, false);
    stream_peer_look(&here, now + 69, true);
    assert_true(here.is_open);
}

static void a_sign_of_life_is_sent_when_nothing_else_is(void **state)
{
    const double now = here.sent_s;

    (void)state;
    stream_peer_look(&here, now + 1, true);
    assert_null(here.first);
    stream_peer_look(&here, now + 3, true);
    assert_non_null(here.first);
    assert_int_equal(here.first->head.kind, FRAME_BEAT);
    stream_peer_write(&here);
    assert_true(stream_peer_read(&there));
    assert_int_equal(there.in.head.kind, FRAME_BEAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_pushed_arrives_in_order, connect_ends,
                                        free_ends),
        cmocka_unit_test_setup_teardown(an_end_that_is_closed_is_left, connect_ends,
                                        free_ends),
        cmocka_unit_test_setup_teardown(a_frame_that_is_refused_ends_the_stream,
                                        connect_ends, free_ends),
        cmocka_unit_test_setup_teardown(a_silent_end_is_left_after_ten_seconds,
                                        connect_ends, free_ends),
        cmocka_unit_test_setup_teardown(a_frame_that_does_not_end_is_left, connect_ends,
                                        free_ends),
        cmocka_unit_test_setup_teardown(a_frame_that_no_longer_grows_is_left,
                                        connect_ends, free_ends),
        cmocka_unit_test_setup_teardown(an_end_that_is_not_read_may_be_silent,
                                        connect_ends, free_ends),
        cmocka_unit_test_setup_teardown(a_sign_of_life_is_sent_when_nothing_else_is,
                                        connect_ends, free_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
