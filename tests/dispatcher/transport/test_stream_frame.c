/*
 * test_stream_frame.c - frames arrive in any pieces, and heads are checked before use.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/transport/stream_frame.h"

#include <string.h>

/* Give bytes to the reader. @return bytes taken until a frame is complete, or refused */
static size_t feed(frame_reader_t *r, const void *bytes, size_t len, size_t piece)
{
    size_t at = 0;
    bool is_complete = false;

    while (at < len && !is_complete && r->why == NULL && !frame_reader_waits(r)) {
        void *to;
        size_t room;

        assert_int_equal(frame_reader_room(r, &to, &room), ST_OK);
        assert_true(room > 0);
        room = room < piece ? room : piece;
        room = room < len - at ? room : len - at;
        memcpy(to, (const char *)bytes + at, room);
        at += room;
        is_complete = frame_reader_took(r, room);
    }
    return at;
}

static void feed_head(frame_reader_t *r, uint32_t kind, int32_t tag, uint64_t len)
{
    const frame_head_t head = {.kind = kind, .tag = tag, .len = len};

    assert_int_equal(feed(r, &head, sizeof(head), sizeof(head)), sizeof(head));
}

static void a_message_arrives_in_any_pieces(void **state)
{
    char bytes[2 * (sizeof(frame_head_t) + 5)];
    const frame_head_t head = {.kind = FRAME_MESSAGE, .tag = 7, .len = 5};

    (void)state;
    for (int i = 0; i < 2; i++) {
        memcpy(bytes + i * 21, &head, sizeof(head));
        memcpy(bytes + i * 21 + sizeof(head), i == 0 ? "first" : "later", 5);
    }
    for (size_t piece = 1; piece <= sizeof(bytes); piece++) {
        frame_reader_t r = {.len = 0};
        size_t at = feed(&r, bytes, sizeof(bytes), piece);

        assert_int_equal(at, 21);
        assert_int_equal(r.head.tag, 7);
        assert_memory_equal(r.data.data, "first", 5);
        frame_reader_next(&r);
        at += feed(&r, bytes + at, sizeof(bytes) - at, piece);
        assert_int_equal(at, sizeof(bytes));
        assert_int_equal(r.data.len, 5);
        assert_memory_equal(r.data.data, "later", 5);
        frame_reader_free(&r);
    }
}

/* What the head of a frame is refused for. */
static void assert_refused(uint32_t kind, int32_t tag, uint64_t len, const char *why)
{
    frame_reader_t r = {.len = 0};

    feed_head(&r, kind, tag, len);
    assert_non_null(r.why);
    assert_string_equal(r.why, why);
    frame_reader_free(&r);
}

static void impossible_heads_are_refused(void **state)
{
    (void)state;
    assert_refused(0, 0, 0, "sent what is no frame");
    assert_refused(0x4f424952, 0, 0, "sent what is no frame");
    assert_refused(FRAME_BEAT + 1, 0, 0, "sent what is no frame");
    assert_refused(FRAME_MESSAGE ^ FRAME_EXCHANGE, 0, 0, "sent what is no frame");
    assert_refused(FRAME_MESSAGE, -1, 0, "sent a message of no kind");
    assert_refused(FRAME_MESSAGE, FRAME_TAG_MAX + 1, 0, "sent a message of no kind");
    assert_refused(FRAME_MESSAGE, 1, FRAME_MESSAGE_BYTES + 1,
                   "sent a message that is too long");
    assert_refused(FRAME_MESSAGE, 1, UINT64_MAX, "sent a message that is too long");
    assert_refused(FRAME_LOG, 3, 1, "sent a line of no level");
    assert_refused(FRAME_LOG, 0, FRAME_LOG_BYTES + 1, "sent a line that is too long");
    assert_refused(FRAME_BEAT, 0, 1, "sent a sign of life with data");
}

/* Eight GiB are announced, and a MiB arrives. */
static void memory_grows_with_what_arrives(void **state)
{
    frame_reader_t r = {.len = 0};
    static const char zeros[1 << 20];

    (void)state;
    feed_head(&r, FRAME_MESSAGE, 1, (uint64_t)8 << 30);
    assert_null(r.why);
    assert_int_equal(feed(&r, zeros, sizeof(zeros), 5000), sizeof(zeros));
    assert_in_range(r.data.capacity, sizeof(zeros), 4 * sizeof(zeros));
    frame_reader_free(&r);
}

static void data_of_an_exchange_waits_until_it_is_due(void **state)
{
    frame_reader_t r = {.len = 0};
    char to[4] = "";

    (void)state;
    feed_head(&r, FRAME_EXCHANGE, 0, 4);
    assert_true(frame_reader_waits(&r));
    assert_int_equal(feed(&r, "data", 4, 4), 0);
    r.exchange.to = to;
    r.exchange.len = 4;
    r.exchange.is_due = true;
    assert_false(frame_reader_settle(&r));
    assert_int_equal(feed(&r, "data", 4, 3), 4);
    assert_memory_equal(to, "data", 4);
    frame_reader_next(&r);
    assert_false(r.exchange.is_due);
    frame_reader_free(&r);
}

static void data_of_another_length_is_refused(void **state)
{
    char to[4] = "";

    (void)state;
    for (uint64_t len = 0; len < 9; len++) {
        frame_reader_t r = {.exchange = {to, 4, true}};

        feed_head(&r, FRAME_EXCHANGE, 0, len);
        assert_int_equal(r.why == NULL, len == 4);
        frame_reader_free(&r);
    }
}

static void empty_data_is_complete_once_it_is_due(void **state)
{
    frame_reader_t r = {.len = 0};

    (void)state;
    feed_head(&r, FRAME_EXCHANGE, 0, 0);
    assert_true(frame_reader_waits(&r));
    r.exchange.is_due = true;
    assert_true(frame_reader_settle(&r));
    frame_reader_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_in_any_pieces),
        cmocka_unit_test(impossible_heads_are_refused),
        cmocka_unit_test(memory_grows_with_what_arrives),
        cmocka_unit_test(data_of_an_exchange_waits_until_it_is_due),
        cmocka_unit_test(data_of_another_length_is_refused),
        cmocka_unit_test(empty_data_is_complete_once_it_is_due),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
