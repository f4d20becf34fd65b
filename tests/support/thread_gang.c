/*
 * thread_gang.c - collective operations between threads: all post what they have, wait
 * for each other, copy what they need, and wait again.
 */
#include "tests/support/thread_gang.h"

#include "kernels/gang/gang.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const void *in;
    const int64_t *len, *at;
} post_t;

typedef struct {
    pthread_barrier_t barrier;
    post_t post[THREAD_GANG_RANKS_MAX];
} shared_t;

typedef struct {
    gang_t base; /* first: calls come with it */
    shared_t *shared;
    thread_gang_fn_t fn;
    void *ctx;
    status_t st;
    pthread_t thread;
} member_t;

/* Show the others what this rank has. @return what all have */
static const post_t *show(gang_t *g, post_t mine)
{
    shared_t *s = ((member_t *)g)->shared;

    s->post[g->rank] = mine;
    pthread_barrier_wait(&s->barrier);
    return s->post;
}

static status_t leave(gang_t *g)
{
    pthread_barrier_wait(&((member_t *)g)->shared->barrier);
    return ST_OK;
}

static int64_t reduce(int64_t a, int64_t b, gang_op_t op)
{
    if (op == GANG_SUM)
        return a + b;
    return op == GANG_MIN ? (a < b ? a : b) : (a > b ? a : b);
}

/* Of int64_t, and sums of floats. */
static void reduce_all(const post_t *all, int n_ranks, void *sum, int64_t n,
                       gang_type_t type, gang_op_t op)
{
    if (type != GANG_INT64 && (type != GANG_FLOAT || op != GANG_SUM))
        abort();
    for (int r = 0; r < n_ranks; r++)
        for (int64_t i = 0; i < n; i++)
            if (type == GANG_FLOAT) {
                ((float *)sum)[i] += ((const float *)all[r].in)[i];
            } else {
                int64_t x = ((const int64_t *)all[r].in)[i], *s = (int64_t *)sum + i;

                *s = r == 0 ? x : reduce(*s, x, op);
            }
}

static status_t allreduce(gang_t *g, const void *in, void *out, int64_t n,
                          gang_type_t type, gang_op_t op)
{
    const post_t *all = show(g, (post_t){.in = in});
    void *sum = calloc((size_t)n + 1, sizeof(int64_t));

    if (sum == NULL)
        abort();
    reduce_all(all, g->n_ranks, sum, n, type, op);
    leave(g);
    memcpy(out, sum, (size_t)n * gang_type_bytes(type));
    free(sum);
    return leave(g);
}

static void copy(void *to, const void *from, int64_t len)
{
    if (len > 0 && to != from)
        memcpy(to, from, (size_t)len);
}

static status_t allgatherv(gang_t *g, const void *in, const int64_t *len, void *out,
                           const int64_t *at)
{
    const post_t *all = show(g, (post_t){.in = in});

    for (int r = 0; r < g->n_ranks; r++)
        copy((char *)out + at[r], all[r].in, len[r]);
    return leave(g);
}

static status_t alltoallv(gang_t *g, const void *in, const int64_t *send_len,
                          const int64_t *send_at, void *out, const int64_t *recv_len,
                          const int64_t *recv_at)
{
    const post_t *all = show(g, (post_t){in, send_len, send_at});

    for (int r = 0; r < g->n_ranks; r++) {
        if (all[r].len[g->rank] != recv_len[r])
            abort(); /* the ranks disagree */
        copy((char *)out + recv_at[r], (const char *)all[r].in + all[r].at[g->rank],
             recv_len[r]);
    }
    return leave(g);
}

static status_t broadcast(gang_t *g, void *data, int64_t len, int root)
{
    const post_t *all = show(g, (post_t){.in = data});

    copy(data, all[root].in, len);
    return leave(g);
}

/* Begun ones are complete at once. */
static status_t begin(gang_t *g, const collective_t *list, int n, void *stream)
{
    (void)stream;
    for (int i = 0; i < n; i++) {
        const collective_t *c = &list[i];

        if (c->kind == COLLECTIVE_ALLREDUCE)
            allreduce(g, c->in, c->out, c->n, c->type, c->op);
        else if (c->kind == COLLECTIVE_ALLTOALLV)
            alltoallv(g, c->in, c->send_len, c->send_at, c->out, c->recv_len, c->recv_at);
        else
            abort();
    }
    return ST_OK;
}

static status_t wait_for_all(gang_t *g)
{
    (void)g;
    return ST_OK;
}

static void *member_main(void *arg)
{
    member_t *m = arg;

    m->st = m->fn(m->ctx, &m->base);
    return NULL;
}

status_t thread_gang_run(int n_ranks, thread_gang_fn_t fn, void *ctx)
{
    member_t member[THREAD_GANG_RANKS_MAX];
    shared_t shared;

    if (n_ranks > THREAD_GANG_RANKS_MAX ||
        pthread_barrier_init(&shared.barrier, NULL, (unsigned)n_ranks) != 0)
        abort();
    for (int r = 0; r < n_ranks; r++) {
        member[r] = (member_t){.base = {.rank = r,
                                        .n_ranks = n_ranks,
                                        .name = "threads",
                                        .memory = GANG_HOST,
                                        .allreduce = allreduce,
                                        .allgatherv = allgatherv,
                                        .alltoallv = alltoallv,
                                        .broadcast = broadcast,
                                        .begin = begin,
                                        .wait = wait_for_all,
                                        .alloc = gang_host_alloc,
                                        .free = gang_host_free,
                                        .put = gang_host_copy,
                                        .get = gang_host_copy},
                               .shared = &shared,
                               .fn = fn,
                               .ctx = ctx};
        if (pthread_create(&member[r].thread, NULL, member_main, &member[r]) != 0)
            abort();
    }
    for (int r = 0; r < n_ranks; r++)
        pthread_join(member[r].thread, NULL);
    pthread_barrier_destroy(&shared.barrier);
    return member[0].st;
}
