/*
 * test_transport_stream.c - a client and two devices, each a thread with its end of a
 * stream: exchanges, messages, and a device that goes.
 */
#include "dispatcher/transport/transport_stream.h"

#include "dispatcher/transport/stream_frame.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

enum { DEVICES = 2, RANKS = DEVICES + 1, TAG = 5, BYTES = 1 << 20 };

typedef struct {
    pthread_t thread;
    stream_end_t end;
    int rank;
    bool has_passed;
} device_end_t;

static device_end_t devices[DEVICES];

/* Wait for a message. */
static status_t next_message(transport_t *t, message_t *m)
{
    bool got = false;
    status_t st = ST_OK;

    while (st == ST_OK && !got) {
        st = t->receive(t, m, &got);
        usleep(100);
    }
    return st;
}

static status_t send_number(transport_t *t, int to, int number)
{
    buf_t data = {0};
    status_t st = buf_append(&data, &number, sizeof(number));

    return st == ST_OK ? t->send(t, to, TAG, &data) : st;
}

/* A device adds its rank to each number, until one is negative. */
static void *be_device(void *arg)
{
    device_end_t *d = arg;
    int64_t all[RANKS] = {0}, mine = 100 + d->rank;
    char *data = calloc(1, BYTES);
    transport_t *t = NULL;
    message_t m;
    int number = 0;
    bool ok = data != NULL &&
              transport_stream_device(&d->end, d->rank, RANKS, NULL, &t) == ST_OK;

    ok = ok && t->exchange.broadcast(&t->exchange, data, BYTES) == ST_OK &&
         data[BYTES - 1] == 'z';
    ok = ok && t->exchange.allgather(&t->exchange, &mine, sizeof(mine), all) == ST_OK &&
         all[0] == 100 && all[1] == 101 && all[2] == 102;
    while (ok && number >= 0 && (ok = next_message(t, &m) == ST_OK)) {
        memcpy(&number, m.data.data, sizeof(number));
        buf_free(&m.data);
        ok = number < 0 || send_number(t, 0, number + d->rank) == ST_OK;
    }
    d->has_passed = ok;
    free(data);
    if (t != NULL)
        t->destroy(t);
    return NULL;
}

static transport_t *begin_run(void)
{
    stream_end_t ends[DEVICES];
    transport_t *t;

    for (int i = 0; i < DEVICES; i++) {
        int fd[2];

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
        ends[i] = (stream_end_t){.in = fd[0], .out = fd[0], .name = "there"};
        devices[i] =
            (device_end_t){.end = {.in = fd[1], .out = fd[1], .name = "the client"},
                           .rank = i + 1};
        assert_int_equal(pthread_create(&devices[i].thread, NULL, be_device, &devices[i]),
                         0);
    }
    assert_int_equal(transport_stream_client(ends, DEVICES, NULL, &t), ST_OK);
    assert_int_equal(t->exchange.n_ranks, RANKS);
    return t;
}

static void exchange_all(transport_t *t)
{
    int64_t all[RANKS] = {0}, mine = 100;
    char *data = calloc(1, BYTES);

    assert_non_null(data);
    data[BYTES - 1] = 'z';
    assert_int_equal(t->exchange.broadcast(&t->exchange, data, BYTES), ST_OK);
    assert_int_equal(t->exchange.allgather(&t->exchange, &mine, sizeof(mine), all),
                     ST_OK);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(all[i], 100 + i);
    free(data);
}

static void exchanges_and_messages_reach_all(void **state)
{
    transport_t *t = begin_run();
    int sum = 0;

    (void)state;
    exchange_all(t);
    for (int rank = 0; rank < RANKS; rank++)
        assert_int_equal(send_number(t, rank, 1000), ST_OK);
    for (int n = 0; n < RANKS; n++) {
        message_t m;
        int number;

        assert_int_equal(next_message(t, &m), ST_OK);
        assert_int_equal(m.tag, TAG);
        memcpy(&number, m.data.data, sizeof(number));
        assert_int_equal(number, 1000 + m.source);
        sum += m.source;
        buf_free(&m.data);
    }
    assert_int_equal(sum, 3);
    for (int rank = 1; rank < RANKS; rank++)
        assert_int_equal(send_number(t, rank, -1), ST_OK);
    for (int i = 0; i < DEVICES; i++) {
        pthread_join(devices[i].thread, NULL);
        assert_true(devices[i].has_passed);
    }
    t->destroy(t);
}

static void a_device_that_goes_is_reported_once_behind_its_messages(void **state)
{
    transport_t *t = begin_run();
    message_t m;
    bool got = true;

    (void)state;
    exchange_all(t);
    assert_int_equal(send_number(t, 2, 7), ST_OK);
    assert_int_equal(send_number(t, 2, -1), ST_OK);
    assert_int_equal(next_message(t, &m), ST_OK);
    assert_int_equal(m.tag, TAG);
    buf_free(&m.data);
    capture_start();
    assert_int_equal(next_message(t, &m), ST_OK);
    capture_stop();
    assert_logged("rank 2 (there) is gone: the connection was closed");
    assert_int_equal(m.tag, TRANSPORT_GONE);
    assert_int_equal(m.source, 2);
    assert_int_equal(t->receive(t, &m, &got), ST_OK);
    assert_false(got);
    assert_int_equal(send_number(t, 2, 8), ST_OK); /* dropped */
    assert_int_equal(send_number(t, 1, -1), ST_OK);
    for (int i = 0; i < DEVICES; i++)
        pthread_join(devices[i].thread, NULL);
    assert_true(devices[0].has_passed && devices[1].has_passed);
    t->destroy(t);
}

static void a_device_that_goes_at_the_start_has_sent_zeros(void **state)
{
    transport_t *t = begin_run();
    int64_t all[RANKS] = {1, 1, 1}, mine = 100;
    char *data = calloc(1, BYTES);
    message_t m;

    (void)state;
    assert_non_null(data);
    data[BYTES - 1] = 'z';
    t->drop(t, 1, "sent what it should not");
    capture_start();
    assert_int_equal(t->exchange.broadcast(&t->exchange, data, BYTES), ST_OK);
    assert_int_equal(t->exchange.allgather(&t->exchange, &mine, sizeof(mine), all),
                     ST_OK);
    assert_int_equal(next_message(t, &m), ST_OK);
    capture_stop();
    assert_logged_one_line();
    assert_logged("rank 1 (there) is gone: sent what it should not");
    assert_int_equal(m.tag, TRANSPORT_GONE);
    assert_int_equal(m.source, 1);
    assert_int_equal(all[0], 100);
    assert_int_equal(all[1], 0);
    assert_int_equal(all[2], 102);
    for (int i = 0; i < DEVICES; i++)
        pthread_join(devices[i].thread, NULL);
    assert_false(devices[0].has_passed);
    t->destroy(t);
    free(data);
}

static void a_device_that_is_dropped_ends(void **state)
{
    transport_t *t = begin_run();
    message_t m;

    (void)state;
    exchange_all(t);
    t->drop(t, 1, "sent what it should not");
    capture_start();
    assert_int_equal(next_message(t, &m), ST_OK);
    capture_stop();
    assert_logged("is gone: sent what it should not");
    assert_int_equal(m.source, 1);
    assert_int_equal(send_number(t, 2, -1), ST_OK);
    pthread_join(devices[1].thread, NULL);
    assert_true(devices[1].has_passed);
    pthread_join(devices[0].thread, NULL);
    assert_false(devices[0].has_passed); /* the stream has ended under it */
    t->destroy(t);
}

/* A server's inputs: one of 'k's, if it has it. */
typedef struct {
    stream_inputs_t base;
    bool has;
    int n_kept;
} shelf_t;

static bool digest_ones(const array_span_t *spans, size_t n,
                        unsigned char out[STREAM_DIGEST_BYTES])
{
    memset(out, (int)n + ((const char *)spans[0].data)[0], STREAM_DIGEST_BYTES);
    return true;
}

static bool find_input(stream_inputs_t *in, const unsigned char *digest,
                       const array_span_t *spans, size_t n)
{
    const bool has = ((shelf_t *)in)->has;

    (void)n;
    if (has && digest[0] == 1 + 's')
        memset(spans[0].data, 'k', spans[0].len);
    return has;
}

static void keep_input(stream_inputs_t *in, const unsigned char *digest,
                       const array_span_t *spans, size_t n)
{
    (void)digest;
    (void)spans;
    (void)n;
    ((shelf_t *)in)->n_kept++;
}

static shelf_t shelf = {.base = {digest_ones, find_input, keep_input}};
static char received[BYTES];

static void *be_shelf(void *end)
{
    transport_t *t;

    if (transport_stream_device(end, 1, 2, &shelf.base, &t) != ST_OK)
        return NULL;
    if (t->exchange.share(&t->exchange, &(array_span_t){received, BYTES}, 1) != ST_OK)
        received[0] = '?';
    t->destroy(t);
    return NULL;
}

/* @return the first letter of what a device gets of 's's */
static char share_input(bool has)
{
    stream_end_t there = {.name = "there", .keeps = true}, here = {.name = "here"};
    char *data = malloc(BYTES);
    pthread_t thread;
    transport_t *t;
    int fd[2];

    assert_non_null(data);
    memset(data, 's', BYTES);
    shelf.has = has;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    there.in = there.out = fd[0];
    here.in = here.out = fd[1];
    assert_int_equal(pthread_create(&thread, NULL, be_shelf, &here), 0);
    assert_int_equal(transport_stream_client(&there, 1, digest_ones, &t), ST_OK);
    assert_int_equal(t->exchange.share(&t->exchange, &(array_span_t){data, BYTES}, 1),
                     ST_OK);
    pthread_join(thread, NULL);
    t->destroy(t);
    free(data);
    return received[BYTES - 1] == received[0] ? received[0] : '?';
}

static void an_input_that_a_device_has_is_not_sent(void **state)
{
    (void)state;
    assert_int_equal(share_input(false), 's');
    assert_int_equal(shelf.n_kept, 1);
    assert_int_equal(share_input(true), 'k');
    assert_int_equal(shelf.n_kept, 1);
}

/* It says so by any byte but 0. */
static void an_answer_of_2_is_one_that_it_has_the_input(void **state)
{
    const frame_head_t head = {.kind = FRAME_EXCHANGE, .len = 1};
    static char data[1 << 16], sent[2 * sizeof(data)];
    stream_end_t end = {.name = "there", .keeps = true};
    transport_t *t;
    int fd[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    end.in = end.out = fd[0];
    assert_int_equal(write(fd[1], &head, sizeof(head)), sizeof(head));
    assert_int_equal(write(fd[1], "\2", 1), 1);
    assert_int_equal(transport_stream_client(&end, 1, digest_ones, &t), ST_OK);
    assert_int_equal(t->exchange.share(&t->exchange, &(array_span_t){data, sizeof(data)},
                                       1),
                     ST_OK);
    assert_int_equal(read(fd[1], sent, sizeof(sent)), sizeof(head) + STREAM_DIGEST_BYTES);
    close(fd[1]);
    t->destroy(t);
}

/* Behind it, nothing would be read any more, not even that the stream has ended. */
static void a_device_that_sends_an_exchange_of_its_own_is_left(void **state)
{
    const frame_head_t head = {.kind = FRAME_EXCHANGE, .len = 8};
    stream_end_t end = {.name = "there"};
    transport_t *t;
    message_t m;
    int fd[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    end.in = end.out = fd[0];
    assert_int_equal(transport_stream_client(&end, 1, NULL, &t), ST_OK);
    assert_int_equal(write(fd[1], &head, sizeof(head)), sizeof(head));
    capture_start();
    assert_int_equal(next_message(t, &m), ST_OK);
    capture_stop();
    assert_logged("rank 1 (there) is gone: sent data of an exchange that is not due");
    assert_int_equal(m.tag, TRANSPORT_GONE);
    t->destroy(t);
    close(fd[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges_and_messages_reach_all),
        cmocka_unit_test(a_device_that_goes_is_reported_once_behind_its_messages),
        cmocka_unit_test(a_device_that_goes_at_the_start_has_sent_zeros),
        cmocka_unit_test(a_device_that_is_dropped_ends),
        cmocka_unit_test(an_input_that_a_device_has_is_not_sent),
        cmocka_unit_test(an_answer_of_2_is_one_that_it_has_the_input),
        cmocka_unit_test(a_device_that_sends_an_exchange_of_its_own_is_left),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
