/*
 * gang_one.c - the gang of one rank: every operation is a copy in host memory.
 */
#include "io/base/logmsg.h"
#include "kernels/gang/gang.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    gang_t base;
    atomic_bool cancelled;
} one_t;

size_t gang_type_bytes(gang_type_t type)
{
    static const size_t bytes[] = {sizeof(int64_t), sizeof(uint64_t), sizeof(float),
                                   sizeof(double)};

    return bytes[type];
}

status_t gang_host_alloc(gang_t *g, size_t len, void **out)
{
    void *data = malloc(len + 1);

    (void)g;
    if (data == NULL)
        return log_nomem("data of a gang");
    *out = data;
    return ST_OK;
}

void gang_host_free(gang_t *g, void *data)
{
    (void)g;
    free(data);
}

status_t gang_host_copy(gang_t *g, void *to, const void *from, size_t len)
{
    (void)g;
    if (len > 0 && to != from)
        memmove(to, from, len);
    return ST_OK;
}

static status_t copy(gang_t *g, void *to, const void *from, size_t len)
{
    if (atomic_load(&((one_t *)g)->cancelled))
        return ST_ESTOPPED;
    return gang_host_copy(g, to, from, len);
}

static status_t one_allreduce(gang_t *g, const void *in, void *out, int64_t n,
                              gang_type_t type, gang_op_t op)
{
    (void)op;
    return copy(g, out, in, (size_t)n * gang_type_bytes(type));
}

static status_t one_allgatherv(gang_t *g, const void *in, const int64_t *len, void *out,
                               const int64_t *at)
{
    return copy(g, (char *)out + at[0], in, (size_t)len[0]);
}

static status_t one_alltoallv(gang_t *g, const void *in, const int64_t *send_len,
                              const int64_t *send_at, void *out, const int64_t *recv_len,
                              const int64_t *recv_at)
{
    (void)recv_len;
    return copy(g, (char *)out + recv_at[0], (const char *)in + send_at[0],
                (size_t)send_len[0]);
}

static status_t one_broadcast(gang_t *g, void *data, int64_t len, int root)
{
    (void)root;
    return copy(g, data, data, (size_t)len);
}

static status_t one_barrier(gang_t *g)
{
    return copy(g, NULL, NULL, 0);
}

static status_t one_begin(gang_t *g, const collective_t *list, int n, void *stream)
{
    status_t st = ST_OK;

    (void)stream;
    for (int i = 0; st == ST_OK && i < n; i++) {
        const collective_t *c = &list[i];

        if (c->kind == COLLECTIVE_ALLREDUCE)
            st = one_allreduce(g, c->in, c->out, c->n, c->type, c->op);
        else if (c->kind == COLLECTIVE_ALLTOALLV)
            st = one_alltoallv(g, c->in, c->send_len, c->send_at, c->out, c->recv_len,
                               c->recv_at);
        else /* a broadcast or a barrier */
            st = one_barrier(g);
    }
    return st;
}

static void one_cancel(gang_t *g)
{
    atomic_store(&((one_t *)g)->cancelled, true);
}

static void one_destroy(gang_t *g)
{
    free(g);
}

status_t gang_one_create(gang_t **out)
{
    one_t *g = calloc(1, sizeof(*g));

    if (g == NULL)
        return log_nomem("a gang");
    g->base = (gang_t){.n_ranks = 1,
                       .name = "one",
                       .memory = GANG_HOST,
                       .allreduce = one_allreduce,
                       .allgatherv = one_allgatherv,
                       .alltoallv = one_alltoallv,
                       .broadcast = one_broadcast,
                       .barrier = one_barrier,
                       .begin = one_begin,
                       .wait = one_barrier,
                       .alloc = gang_host_alloc,
                       .free = gang_host_free,
                       .put = gang_host_copy,
                       .get = gang_host_copy,
                       .cancel = one_cancel,
                       .destroy = one_destroy};
    *out = &g->base;
    return ST_OK;
}
