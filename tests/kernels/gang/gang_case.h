/*
 * gang_case.h - every operation of a gang against results worked out by hand, on any
 * number of ranks and in either kind of memory.
 */
#pragma once

#include "kernels/gang/gang.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GANG_CASE_BYTES = 1 << 16, GANG_CASE_RANKS_MAX = 64 };

/* Buffers of one rank: host and gang memory, for input and output. */
typedef struct {
    gang_t *g;
    unsigned char *host_in, *host_out; /* [GANG_CASE_BYTES] */
    void *in, *out;                    /* [GANG_CASE_BYTES] the gang's memory */
    int n_failures;
} gang_case_t;

static inline void gang_case_expect(gang_case_t *c, bool holds, const char *what)
{
    if (holds)
        return;
    c->n_failures++;
    fprintf(stderr, "FAILED: %s, rank %d of %d, %s\n", c->g->name, c->g->rank,
            c->g->n_ranks, what);
}

static inline void gang_case_put(gang_case_t *c)
{
    memset(c->host_out, 0xee, GANG_CASE_BYTES);
    gang_case_expect(c,
                     c->g->put(c->g, c->in, c->host_in, GANG_CASE_BYTES) == ST_OK &&
                         c->g->put(c->g, c->out, c->host_out, GANG_CASE_BYTES) == ST_OK,
                     "put");
}

static inline void gang_case_get(gang_case_t *c, const void *from)
{
    gang_case_expect(c, c->g->get(c->g, c->host_out, from, GANG_CASE_BYTES) == ST_OK,
                     "get");
}

/* Rank r's i-th value; small enough that sums are exact in every type. */
static inline int gang_case_value(int r, int i)
{
    return (r + 1) * (i % 50 + 1) - 7;
}

static inline void gang_case_set(void *at, gang_type_t type, int i, int value)
{
    switch (type) {
    case GANG_INT64:
        ((int64_t *)at)[i] = value;
        break;
    case GANG_UINT64:
        ((uint64_t *)at)[i] = (uint64_t)value + 7; /* no negative ones */
        break;
    case GANG_FLOAT:
        ((float *)at)[i] = (float)value;
        break;
    default:
        ((double *)at)[i] = value;
        break;
    }
}

static inline int gang_case_reduced(const gang_t *g, gang_type_t type, gang_op_t op,
                                    int i)
{
    int result = gang_case_value(0, i), shift = type == GANG_UINT64 ? 7 : 0;

    for (int r = 1; r < g->n_ranks; r++) {
        int value = gang_case_value(r, i);

        result = op == GANG_SUM                         ? result + value
                 : (value < result) == (op == GANG_MIN) ? value
                                                        : result;
    }
    return op == GANG_SUM ? result + (g->n_ranks - 1) * shift : result;
}

static inline void gang_case_allreduce(gang_case_t *c, gang_type_t type, gang_op_t op,
                                       int n, bool in_place)
{
    unsigned char want[8 * 1000];
    size_t bytes = gang_type_bytes(type);
    char what[64];

    snprintf(what, sizeof(what), "allreduce of %d, type %d, op %d%s", n, type, op,
             in_place ? ", in place" : "");
    for (int i = 0; i < n; i++) {
        gang_case_set(c->host_in, type, i, gang_case_value(c->g->rank, i));
        gang_case_set(want, type, i, gang_case_reduced(c->g, type, op, i));
    }
    gang_case_put(c);
    gang_case_expect(c,
                     c->g->allreduce(c->g, c->in, in_place ? c->in : c->out, n, type,
                                     op) == ST_OK,
                     what);
    gang_case_get(c, in_place ? c->in : c->out);
    gang_case_expect(c, memcmp(c->host_out, want, (size_t)n * bytes) == 0, what);
}

/* Rank r's block: r * 5 mod 7 bytes, 32 bytes apart; some are empty. */
static inline void gang_case_allgatherv(gang_case_t *c)
{
    int64_t len[GANG_CASE_RANKS_MAX], at[GANG_CASE_RANKS_MAX];

    for (int r = 0; r < c->g->n_ranks; r++) {
        len[r] = (r + 1) * 5 % 7;
        at[r] = 32 * r + 1;
    }
    memset(c->host_in, 'a' + c->g->rank, GANG_CASE_BYTES);
    gang_case_put(c);
    gang_case_expect(c, c->g->allgatherv(c->g, c->in, len, c->out, at) == ST_OK,
                     "allgatherv");
    gang_case_get(c, c->out);
    for (int r = 0; r < c->g->n_ranks; r++)
        for (int64_t i = -1; i < 30; i++)
            gang_case_expect(c,
                             c->host_out[at[r] + i] ==
                                 (i >= 0 && i < len[r] ? 'a' + r : 0xee),
                             "allgatherv's bytes");
}

static inline int64_t gang_case_len(int from, int to)
{
    return (from * 3 + to * 5 + 2) % 11;
}

static inline void gang_case_alltoallv(gang_case_t *c)
{
    int64_t send_len[GANG_CASE_RANKS_MAX], send_at[GANG_CASE_RANKS_MAX];
    int64_t recv_len[GANG_CASE_RANKS_MAX], recv_at[GANG_CASE_RANKS_MAX];
    int me = c->g->rank;

    for (int r = 0; r < c->g->n_ranks; r++) {
        send_len[r] = gang_case_len(me, r);
        send_at[r] = 16 * r + 3;
        recv_len[r] = gang_case_len(r, me);
        recv_at[r] = 20 * (c->g->n_ranks - r);
        memset(c->host_in + send_at[r], 10 * me + r, (size_t)send_len[r]);
    }
    gang_case_put(c);
    gang_case_expect(c,
                     c->g->alltoallv(c->g, c->in, send_len, send_at, c->out, recv_len,
                                     recv_at) == ST_OK,
                     "alltoallv");
    gang_case_get(c, c->out);
    for (int r = 0; r < c->g->n_ranks; r++)
        for (int64_t i = 0; i < 20; i++)
            gang_case_expect(c,
                             c->host_out[recv_at[r] + i] ==
                                 (i < recv_len[r] ? 10 * r + me : 0xee),
                             "alltoallv's bytes");
}

static inline void gang_case_broadcast(gang_case_t *c)
{
    for (int root = 0; root < c->g->n_ranks; root++) {
        memset(c->host_in, c->g->rank + 1, GANG_CASE_BYTES);
        gang_case_put(c);
        gang_case_expect(c, c->g->broadcast(c->g, c->in, 1001, root) == ST_OK,
                         "broadcast");
        gang_case_get(c, c->in);
        for (int i = 0; i < 1003; i++)
            gang_case_expect(c, c->host_out[i] == (i < 1001 ? root : c->g->rank) + 1,
                             "broadcast's bytes");
    }
}

/* Sums of numbers and of the numbers behind them, more than a backend keeps, and then a
 * block of each rank; all begun before any is awaited. */
static inline void gang_case_begin(gang_case_t *c)
{
    enum { N = 100, BLOCK = 40 };
    collective_t list[N] = {0}, blocks = {.kind = COLLECTIVE_ALLTOALLV};
    int64_t len[GANG_CASE_RANKS_MAX], zero[GANG_CASE_RANKS_MAX];
    int64_t at[GANG_CASE_RANKS_MAX];
    char *in = c->in, *out = c->out;
    status_t st = ST_OK;

    for (int i = 0; i < 4 * N; i++)
        ((int64_t *)(void *)c->host_in)[i] = gang_case_value(c->g->rank, i);
    gang_case_put(c);
    for (int i = 0; i < N; i++)
        list[i] = (collective_t){.kind = COLLECTIVE_ALLREDUCE,
                                 .in = in + 32 * i,
                                 .out = in + 32 * i,
                                 .n = 4,
                                 .type = GANG_INT64,
                                 .op = GANG_SUM};
    for (int r = 0; r < c->g->n_ranks; r++) {
        len[r] = BLOCK;
        zero[r] = 0;
        at[r] = BLOCK * r;
    }
    blocks.in = in + 32 * 10;
    blocks.out = out;
    blocks.send_len = blocks.recv_len = len;
    blocks.send_at = zero;
    blocks.recv_at = at;
    st = c->g->begin(c->g, list, 3, NULL);
    if (st == ST_OK)
        st = c->g->begin(c->g, list + 3, N - 3, NULL);
    if (st == ST_OK)
        st = c->g->begin(c->g, &blocks, 1, NULL);
    gang_case_expect(c, st == ST_OK && c->g->wait(c->g) == ST_OK, "begin and wait");
    gang_case_get(c, c->in);
    for (int i = 0; i < 4 * N; i++)
        gang_case_expect(c,
                         ((int64_t *)(void *)c->host_out)[i] ==
                             gang_case_reduced(c->g, GANG_INT64, GANG_SUM, i),
                         "sums that were begun");
    memcpy(c->host_in, c->host_out + 32 * 10, BLOCK);
    gang_case_get(c, c->out);
    for (int r = 0; r < c->g->n_ranks; r++)
        gang_case_expect(c, memcmp(c->host_out + at[r], c->host_in, BLOCK) == 0,
                         "blocks that were begun behind sums");
}

/* Run all of it; every rank must. @return how many checks failed here */
static inline int gang_case_run(gang_t *g)
{
    gang_case_t c = {.g = g,
                     .host_in = calloc(1, GANG_CASE_BYTES),
                     .host_out = calloc(1, GANG_CASE_BYTES)};

    if (c.host_in == NULL || c.host_out == NULL ||
        g->alloc(g, GANG_CASE_BYTES, &c.in) != ST_OK ||
        g->alloc(g, GANG_CASE_BYTES, &c.out) != ST_OK)
        return 1;
    for (int type = GANG_INT64; type <= GANG_DOUBLE; type++)
        for (int op = GANG_SUM; op <= GANG_MAX; op++)
            for (int k = 0; k < 4; k++)
                gang_case_allreduce(&c, (gang_type_t)type, (gang_op_t)op,
                                    k < 2 ? 1 : 1000, k % 2 == 1);
    gang_case_allgatherv(&c);
    gang_case_alltoallv(&c);
    gang_case_broadcast(&c);
    gang_case_begin(&c);
    gang_case_expect(&c, g->barrier(g) == ST_OK, "barrier");
    g->free(g, c.in);
    g->free(g, c.out);
    g->free(g, NULL);
    free(c.host_in);
    free(c.host_out);
    return c.n_failures;
}
