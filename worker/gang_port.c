/*
 * gang_port.c - the gang over MPI, for a device thread that must not call MPI itself.
 */
#include "worker/gang_port.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* POSTED -> TAKEN -> IDLE; a cancelled request goes from POSTED to IDLE. */
enum { PORT_IDLE, PORT_POSTED, PORT_TAKEN };

/* Requests that may wait for their turn. */
enum { PORT_REQUESTS = 32 };

typedef struct {
    atomic_int state;
    collective_t what;
} request_t;

struct gang_port {
    gang_t gang; /* first: the device thread's calls come with it */
    notifier_t *owner;
    notifier_t device;
    request_t requests[PORT_REQUESTS]; /* number k is at k % PORT_REQUESTS */
    int64_t n_posted, n_awaited;       /* the device thread's */
    int64_t n_taken;                   /* the owner's */
    atomic_bool cancelled;
    atomic_int result; /* ST_OK, or the first error */
    int64_t *lens; /* [n_ranks][2] an allgatherv as an alltoallv: lengths and offsets */
};

/* A cancelled request ends here if the owner has not taken it; else it has to be
 * completed, because the transport uses its memory. */
static bool withdraw(gang_port_t *p, request_t *r)
{
    int posted = PORT_POSTED;

    return atomic_load(&p->cancelled) &&
           atomic_compare_exchange_strong(&r->state, &posted, PORT_IDLE);
}

/* Wait for the first n requests. */
static status_t await(gang_port_t *p, int64_t n)
{
    for (; p->n_awaited < n; p->n_awaited++) {
        request_t *r = &p->requests[p->n_awaited % PORT_REQUESTS];
        double start = clock_now_s();

        while (atomic_load(&r->state) != PORT_IDLE && !withdraw(p, r)) {
            if (clock_now_s() - start < 1e-6 * GANG_PORT_SPIN_US)
                sched_yield();
            else
                notifier_wait(&p->device, 1000);
        }
    }
    return atomic_load(&p->cancelled) ? ST_ESTOPPED : (status_t)atomic_load(&p->result);
}

static status_t port_wait(gang_t *g)
{
    gang_port_t *p = (gang_port_t *)g;

    return await(p, p->n_posted);
}

static status_t post(gang_port_t *p, const collective_t *c)
{
    status_t st = await(p, p->n_posted + 1 - PORT_REQUESTS);
    request_t *r = &p->requests[p->n_posted % PORT_REQUESTS];

    if (st != ST_OK)
        return st;
    r->what = *c;
    p->n_posted++;
    atomic_store(&r->state, PORT_POSTED);
    notifier_notify(p->owner);
    return ST_OK;
}

static status_t request(gang_port_t *p, const collective_t *c)
{
    status_t st = post(p, c);

    return st == ST_OK ? await(p, p->n_posted) : st;
}

static status_t port_begin(gang_t *g, const collective_t *list, int n, void *stream)
{
    status_t st = ST_OK;

    (void)stream;
    for (int i = 0; st == ST_OK && i < n; i++)
        st = post((gang_port_t *)g, &list[i]);
    return st;
}

static status_t port_allreduce(gang_t *g, const void *in, void *out, int64_t n,
                               gang_type_t type, gang_op_t op)
{
    const collective_t c = {.kind = COLLECTIVE_ALLREDUCE,
                            .in = in,
                            .out = out,
                            .n = n,
                            .type = type,
                            .op = op};

    return request((gang_port_t *)g, &c);
}

static status_t port_alltoallv(gang_t *g, const void *in, const int64_t *send_len,
                               const int64_t *send_at, void *out, const int64_t *recv_len,
                               const int64_t *recv_at)
{
    const collective_t c = {.kind = COLLECTIVE_ALLTOALLV,
                            .in = in,
                            .out = out,
                            .send_len = send_len,
                            .send_at = send_at,
                            .recv_len = recv_len,
                            .recv_at = recv_at};

    return request((gang_port_t *)g, &c);
}

/* The same block for every rank. */
static status_t port_allgatherv(gang_t *g, const void *in, const int64_t *len, void *out,
                                const int64_t *at)
{
    gang_port_t *p = (gang_port_t *)g;
    int64_t *send_len = p->lens, *send_at = p->lens + g->n_ranks;

    for (int r = 0; r < g->n_ranks; r++) {
        send_len[r] = len[g->rank];
        send_at[r] = 0;
    }
    return port_alltoallv(g, in, send_len, send_at, out, len, at);
}

static status_t port_broadcast(gang_t *g, void *data, int64_t len, int root)
{
    const collective_t c = {.kind = COLLECTIVE_BROADCAST,
                            .out = data,
                            .n = len,
                            .root = root};

    return request((gang_port_t *)g, &c);
}

static status_t port_barrier(gang_t *g)
{
    const collective_t c = {.kind = COLLECTIVE_BARRIER};

    return request((gang_port_t *)g, &c);
}

static void port_cancel(gang_t *g)
{
    gang_port_t *p = (gang_port_t *)g;

    atomic_store(&p->cancelled, true);
    notifier_notify(&p->device);
}

/* The port is the run's: gang_port_destroy frees it. */
static void port_destroy(gang_t *g)
{
    (void)g;
}

status_t gang_port_create(int rank, int n_ranks, notifier_t *notifier, gang_port_t **out)
{
    gang_port_t *p = calloc(1, sizeof(*p));

    if (p == NULL || (p->lens = calloc(2 * (size_t)n_ranks, sizeof(*p->lens))) == NULL) {
        free(p);
        return log_nomem("a gang");
    }
    p->owner = notifier;
    notifier_begin(&p->device);
    p->gang = (gang_t){.rank = rank,
                       .n_ranks = n_ranks,
                       .name = "mpi",
                       .memory = GANG_HOST,
                       .allreduce = port_allreduce,
                       .allgatherv = port_allgatherv,
                       .alltoallv = port_alltoallv,
                       .broadcast = port_broadcast,
                       .barrier = port_barrier,
                       .begin = port_begin,
                       .wait = port_wait,
                       .alloc = gang_host_alloc,
                       .free = gang_host_free,
                       .put = gang_host_copy,
                       .get = gang_host_copy,
                       .cancel = port_cancel,
                       .destroy = port_destroy};
    *out = p;
    return ST_OK;
}

gang_t *gang_port_gang(gang_port_t *p)
{
    return &p->gang;
}

bool gang_port_take(gang_port_t *p, const collective_t **out)
{
    request_t *r = &p->requests[p->n_taken % PORT_REQUESTS];
    int posted = PORT_POSTED;

    if (!atomic_compare_exchange_strong(&r->state, &posted, PORT_TAKEN))
        return false;
    p->n_taken++;
    *out = &r->what;
    return true;
}

void gang_port_complete(gang_port_t *p, status_t st)
{
    request_t *r = &p->requests[(p->n_taken - 1) % PORT_REQUESTS];
    int none = ST_OK;

    if (st != ST_OK)
        atomic_compare_exchange_strong(&p->result, &none, (int)st);
    atomic_store(&r->state, PORT_IDLE);
    notifier_notify(&p->device);
}

void gang_port_destroy(gang_port_t *p)
{
    if (p == NULL)
        return;
    notifier_end(&p->device);
    free(p->lens);
    free(p);
}
