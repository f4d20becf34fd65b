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

struct gang_port {
    gang_t gang; /* first: the device thread's calls come with it */
    bell_t *owner;
    bell_t device;
    atomic_int state;
    atomic_bool cancelled;
    collective_t request;
    status_t result;
    int64_t *lens; /* [n_ranks][2] an allgatherv as an alltoallv: lengths and offsets */
};

/* A cancelled request ends here if the owner has not taken it; else it has to be
 * completed, because the transport uses its memory. */
static bool withdraw(gang_port_t *p)
{
    int posted = PORT_POSTED;

    return atomic_load(&p->cancelled) &&
           atomic_compare_exchange_strong(&p->state, &posted, PORT_IDLE);
}

static status_t request(gang_port_t *p, const collective_t *c)
{
    double start = clock_now_s();

    if (atomic_load(&p->cancelled))
        return ST_ESTOPPED;
    p->request = *c;
    atomic_store(&p->state, PORT_POSTED);
    bell_ring(p->owner);
    while (atomic_load(&p->state) != PORT_IDLE) {
        if (withdraw(p))
            return ST_ESTOPPED;
        if (clock_now_s() - start < 1e-6 * GANG_PORT_SPIN_US)
            sched_yield();
        else
            bell_wait(&p->device, 1000);
    }
    return p->result;
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
    bell_ring(&p->device);
}

/* The port is the run's: gang_port_destroy frees it. */
static void port_destroy(gang_t *g)
{
    (void)g;
}

status_t gang_port_create(int rank, int n_ranks, bell_t *bell, gang_port_t **out)
{
    gang_port_t *p = calloc(1, sizeof(*p));

    if (p == NULL || (p->lens = calloc(2 * (size_t)n_ranks, sizeof(*p->lens))) == NULL) {
        free(p);
        return log_nomem("a gang");
    }
    p->owner = bell;
    bell_begin(&p->device);
    p->gang = (gang_t){.rank = rank,
                       .n_ranks = n_ranks,
                       .name = "mpi",
                       .memory = GANG_HOST,
                       .allreduce = port_allreduce,
                       .allgatherv = port_allgatherv,
                       .alltoallv = port_alltoallv,
                       .broadcast = port_broadcast,
                       .barrier = port_barrier,
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
    int posted = PORT_POSTED;

    if (!atomic_compare_exchange_strong(&p->state, &posted, PORT_TAKEN))
        return false;
    *out = &p->request;
    return true;
}

void gang_port_complete(gang_port_t *p, status_t st)
{
    p->result = st;
    atomic_store(&p->state, PORT_IDLE);
    bell_ring(&p->device);
}

bool gang_port_is_busy(const gang_port_t *p)
{
    return atomic_load(&p->state) == PORT_TAKEN;
}

void gang_port_destroy(gang_port_t *p)
{
    if (p == NULL)
        return;
    bell_end(&p->device);
    free(p->lens);
    free(p);
}
