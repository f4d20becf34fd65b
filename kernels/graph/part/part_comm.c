/*
 * part_comm.c - collective operations on host memory.  Where the gang works on a device's
 * memory, data go there and back.
 */
#include "kernels/graph/part/part_comm.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

static bool is_on_host(const part_comm_t *c)
{
    return c->gang->memory == GANG_HOST;
}

static status_t reserve(part_comm_t *c, void **data, size_t *capacity, size_t bytes)
{
    status_t st;

    if (bytes <= *capacity)
        return ST_OK;
    if (*capacity > 0)
        c->gang->free(c->gang, *data);
    *capacity = 0;
    if ((st = c->gang->alloc(c->gang, bytes, data)) == ST_OK)
        *capacity = bytes;
    return st;
}

/* @return the bytes up to the end of the last block */
static size_t extent(int n_ranks, const int64_t *len, const int64_t *at)
{
    int64_t end = 0;

    for (int r = 0; r < n_ranks; r++)
        end = at[r] + len[r] > end ? at[r] + len[r] : end;
    return (size_t)end;
}

status_t part_comm_gather(part_comm_t *c, const void *in, const int64_t *len, void *out,
                          const int64_t *at)
{
    gang_t *g = c->gang;
    size_t bytes = extent(g->n_ranks, len, at);
    double start = clock_now_s();
    status_t st;

    if (is_on_host(c)) {
        st = g->allgatherv(g, in, len, out, at);
    } else if ((st = reserve(c, &c->in, &c->in_bytes, (size_t)len[g->rank])) == ST_OK &&
               (st = reserve(c, &c->out, &c->out_bytes, bytes)) == ST_OK &&
               (st = g->put(g, c->in, in, (size_t)len[g->rank])) == ST_OK &&
               (st = g->allgatherv(g, c->in, len, c->out, at)) == ST_OK) {
        for (int r = 0; st == ST_OK && r < g->n_ranks; r++)
            st = g->get(g, (char *)out + at[r], (const char *)c->out + at[r],
                        (size_t)len[r]);
    }
    c->n_bytes += len[g->rank] * (g->n_ranks - 1);
    c->seconds += clock_now_s() - start;
    return st;
}

status_t part_comm_exchange(part_comm_t *c, const void *in, const int64_t *send_len,
                            const int64_t *send_at, void *out, const int64_t *recv_len,
                            const int64_t *recv_at)
{
    gang_t *g = c->gang;
    size_t sent = extent(g->n_ranks, send_len, send_at);
    size_t received = extent(g->n_ranks, recv_len, recv_at);
    double start = clock_now_s();
    status_t st;

    if (is_on_host(c)) {
        st = g->alltoallv(g, in, send_len, send_at, out, recv_len, recv_at);
    } else if ((st = reserve(c, &c->in, &c->in_bytes, sent)) == ST_OK &&
               (st = reserve(c, &c->out, &c->out_bytes, received)) == ST_OK &&
               (st = g->put(g, c->in, in, sent)) == ST_OK &&
               (st = g->alltoallv(g, c->in, send_len, send_at, c->out, recv_len,
                                  recv_at)) == ST_OK) {
        for (int r = 0; st == ST_OK && r < g->n_ranks; r++)
            st = g->get(g, (char *)out + recv_at[r], (const char *)c->out + recv_at[r],
                        (size_t)recv_len[r]);
    }
    for (int r = 0; r < g->n_ranks; r++)
        c->n_bytes += r != g->rank ? send_len[r] : 0;
    c->seconds += clock_now_s() - start;
    return st;
}

status_t part_comm_add(part_comm_t *c, int64_t *values, int64_t n)
{
    gang_t *g = c->gang;
    size_t bytes = (size_t)n * sizeof(*values);
    double start = clock_now_s();
    status_t st;

    if (is_on_host(c))
        st = g->allreduce(g, values, values, n, GANG_INT64, GANG_SUM);
    else if ((st = reserve(c, &c->in, &c->in_bytes, bytes)) == ST_OK &&
             (st = g->put(g, c->in, values, bytes)) == ST_OK &&
             (st = g->allreduce(g, c->in, c->in, n, GANG_INT64, GANG_SUM)) == ST_OK)
        st = g->get(g, values, c->in, bytes);
    c->n_bytes += g->n_ranks > 1 ? (int64_t)bytes : 0;
    c->seconds += clock_now_s() - start;
    return st;
}

/* Each rank sends every other one a number. */
status_t part_comm_lengths(part_comm_t *c, const int64_t *send_len, int64_t *recv_len,
                           int64_t *recv_at, int64_t *total)
{
    int n = c->gang->n_ranks;
    int64_t *len, *at;
    status_t st;

    if (c->len == NULL && (c->len = calloc(2 * (size_t)n, sizeof(*c->len))) == NULL)
        return log_nomem("an exchange");
    len = c->len;
    at = c->len + n;
    for (int r = 0; r < n; r++) {
        len[r] = sizeof(*len);
        at[r] = (int64_t)sizeof(*len) * r;
    }
    if ((st = part_comm_exchange(c, send_len, len, at, recv_len, len, at)) != ST_OK)
        return st;
    *total = 0;
    for (int r = 0; r < n; r++) {
        recv_at[r] = *total;
        *total += recv_len[r];
    }
    return ST_OK;
}

void part_comm_free(part_comm_t *c)
{
    if (c->in_bytes > 0)
        c->gang->free(c->gang, c->in);
    if (c->out_bytes > 0)
        c->gang->free(c->gang, c->out);
    free(c->len);
    *c = (part_comm_t){0};
}
