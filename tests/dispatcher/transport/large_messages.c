/*
 * large_messages.c - two ranks exchange messages and collectives of more than 2 GiB; run
 * by large_messages.sh under mpirun.
 */
#include "dispatcher/transport/transport.h"
#include "io/base/logmsg.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

/* Above 2^31, and no multiple of anything that code might count in. */
static const int64_t message_bytes = (INT64_C(1) << 31) + 12345;
static const int64_t n_values = (INT64_C(1) << 28) + 1001; /* of 8 bytes */

enum { TAG = 5 };

static unsigned char byte_at(int64_t i)
{
    return (unsigned char)(i ^ (i >> 8) ^ (i >> 16) ^ (i >> 24));
}

static status_t fill(buf_t *data, int64_t len)
{
    status_t st = buf_reserve(data, (size_t)len);

    for (int64_t i = 0; st == ST_OK && i < len; i++)
        data->data[i] = byte_at(i);
    data->len = (size_t)len;
    return st;
}

static status_t compare(const unsigned char *data, int64_t len, const char *what)
{
    for (int64_t i = 0; i < len; i++)
        if (data[i] != byte_at(i)) {
            log_error("%s: byte %lld is wrong", what, (long long)i);
            return ST_EPEER;
        }
    return ST_OK;
}

/* Rank 0 sends to rank 1. */
static status_t test_message(transport_t *t)
{
    buf_t data = {0};
    message_t m = {0};
    bool got = false;
    status_t st = ST_OK;

    if (t->exchange.rank == 0) {
        if ((st = fill(&data, message_bytes)) == ST_OK)
            st = t->send(t, 1, TAG, &data);
        return st;
    }
    while (st == ST_OK && !got)
        st = t->receive(t, &m, &got);
    if (st == ST_OK && (m.data.len != (size_t)message_bytes || m.tag != TAG)) {
        log_error("a message of %zu bytes", m.data.len);
        st = ST_EPEER;
    }
    if (st == ST_OK)
        st = compare(m.data.data, message_bytes, "a message");
    buf_free(&m.data);
    return st;
}

static status_t complete(transport_t *t, const collective_t *c)
{
    status_t st = t->collective_begin(t, c);
    bool done = false;

    while (st == ST_OK && !done) {
        st = t->collective_test(t, &done);
        sched_yield();
    }
    return st;
}

/* Rank 0 sends a large block to rank 1, which sends 3 bytes back. */
static status_t test_alltoallv(transport_t *t)
{
    int me = t->exchange.rank;
    const int64_t none[2] = {0, 0}, large[2] = {0, message_bytes}, small[2] = {3, 0};
    const int64_t from_0[2] = {message_bytes, 0}, from_1[2] = {0, 3};
    buf_t data = {0};
    collective_t c = {.kind = COLLECTIVE_ALLTOALLV,
                      .send_len = me == 0 ? large : small,
                      .recv_len = me == 0 ? from_1 : from_0,
                      .send_at = none,
                      .recv_at = none};
    unsigned char other[3] = {byte_at(0), byte_at(1), byte_at(2)};
    status_t st = fill(&data, message_bytes);

    if (me == 1 && st == ST_OK)
        memset(data.data, 0xaa, data.len);
    c.in = me == 0 ? data.data : other;
    c.out = me == 0 ? other : data.data;
    if (me == 0)
        memset(other, 0xaa, sizeof(other));
    if (st == ST_OK)
        st = complete(t, &c);
    if (st == ST_OK)
        st = me == 0 ? compare(other, 3, "alltoallv")
                     : compare(data.data, message_bytes, "alltoallv");
    buf_free(&data);
    return st;
}

static status_t test_allreduce(transport_t *t)
{
    buf_t data = {0};
    status_t st = buf_reserve(&data, 8 * (size_t)n_values);
    int64_t *values = (int64_t *)(void *)data.data;
    const collective_t c = {.kind = COLLECTIVE_ALLREDUCE,
                            .in = values,
                            .out = values,
                            .n = n_values,
                            .type = GANG_INT64,
                            .op = GANG_SUM};

    for (int64_t i = 0; st == ST_OK && i < n_values; i++)
        values[i] = i * (t->exchange.rank + 1);
    if (st == ST_OK)
        st = complete(t, &c);
    for (int64_t i = 0; st == ST_OK && i < n_values; i++)
        if (values[i] != 3 * i) {
            log_error("allreduce: value %lld is wrong", (long long)i);
            st = ST_EPEER;
        }
    buf_free(&data);
    return st;
}

int main(void)
{
    transport_t *t = NULL;
    status_t st = transport_create(&t);

    if (st != ST_OK || t->exchange.n_ranks != 2) {
        fprintf(stderr, "start it with mpirun -n 2\n");
        return EXIT_USAGE;
    }
    if ((st = exchange_agree(&t->exchange, test_message(t))) == ST_OK &&
        (st = exchange_agree(&t->exchange, test_alltoallv(t))) == ST_OK)
        st = exchange_agree(&t->exchange, test_allreduce(t));
    t->destroy(t);
    return status_exit_code(st);
}
