/*
 * transport_mpi.c - the transport over MPI: the one file that calls it.
 *
 * MPI is initialised FUNNELED; calls wait by testing and, soon, sleeping, so that a
 * waiting rank leaves its processor to the threads that compute.
 */
#include "dispatcher/transport/message_queue.h"
#include "dispatcher/transport/transport.h"
#include "io/base/logmsg.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is moved at a time takes less than the while for which it is asked after without a
 * pause: where a rank may not read another's memory each question moves some 100
 * kilobytes.  What takes longer waits for a rank that has work to do. */
enum { SLICE_BYTES = 1 << 24, WAIT_US = 200 };
static const double eager_s = 0.02;

typedef struct sending {
    struct sending *next;
    MPI_Request request;
    buf_t data;
} sending_t;

typedef struct {
    transport_t base;
    MPI_Comm comm;
    message_queue_t own; /* to itself */
    sending_t *sending;
} mpi_t;

static status_t fail(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = 0;

    MPI_Error_string(code, text, &len);
    log_error("MPI: %s: %s", call, text);
    return ST_EPEER;
}

/* Wait, and soon without spinning. */
static status_t finish(MPI_Request *request, const char *call)
{
    double start = MPI_Wtime();
    int done = 0, code;

    for (;;) {
        if ((code = MPI_Test(request, &done, MPI_STATUS_IGNORE)) != MPI_SUCCESS)
            return fail(code, call);
        if (done)
            return ST_OK;
        if (MPI_Wtime() - start > eager_s)
            usleep(WAIT_US);
        else
            sched_yield();
    }
}

static status_t mpi_broadcast(exchange_t *x, void *data, size_t len)
{
    mpi_t *t = (mpi_t *)x; /* the exchange is the transport's first member */
    char *p = data;
    status_t st = ST_OK;

    while (st == ST_OK && len > 0) {
        int slice = len < SLICE_BYTES ? (int)len : SLICE_BYTES;
        MPI_Request request;
        int code = MPI_Ibcast(p, slice, MPI_BYTE, 0, t->comm, &request);

        st = code == MPI_SUCCESS ? finish(&request, "MPI_Ibcast")
                                 : fail(code, "MPI_Ibcast");
        p += slice;
        len -= (size_t)slice;
    }
    return st;
}

static status_t mpi_gather(exchange_t *x, const void *in, size_t len, void *out)
{
    mpi_t *t = (mpi_t *)x;
    MPI_Request request;
    int code = MPI_Iallgather(in, (int)len, MPI_BYTE, out, (int)len, MPI_BYTE, t->comm,
                              &request);

    return code == MPI_SUCCESS ? finish(&request, "MPI_Iallgather")
                               : fail(code, "MPI_Iallgather");
}

/* Free what has left. */
static void sweep_sent(mpi_t *t)
{
    sending_t **at = &t->sending;

    while (*at != NULL) {
        sending_t *s = *at;
        int done = 0;

        if (MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        buf_free(&s->data);
        free(s);
    }
}

static status_t mpi_send(transport_t *base, int to, int tag, buf_t *data)
{
    mpi_t *t = (mpi_t *)base;
    sending_t *s;
    int code;

    if (to == base->exchange.rank)
        return message_queue_push(&t->own, to, tag, data);
    if ((s = calloc(1, sizeof(*s))) == NULL) {
        buf_free(data);
        return log_nomem("a message");
    }
    s->data = *data;
    *data = (buf_t){0};
    code = MPI_Isend(s->data.data, (int)s->data.len, MPI_BYTE, to, tag, t->comm,
                     &s->request);
    if (code != MPI_SUCCESS) {
        buf_free(&s->data);
        free(s);
        return fail(code, "MPI_Isend");
    }
    s->next = t->sending;
    t->sending = s;
    return ST_OK;
}

static status_t mpi_receive(transport_t *base, message_t *out, bool *got)
{
    mpi_t *t = (mpi_t *)base;
    message_t m = {0};
    MPI_Request request;
    MPI_Message handle;
    MPI_Status status;
    int there = 0, len = 0, code;
    status_t st;

    sweep_sent(t);
    if ((*got = message_queue_pop(&t->own, out)))
        return ST_OK;
    code = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->comm, &there, &handle, &status);
    if (code != MPI_SUCCESS)
        return fail(code, "MPI_Improbe");
    if (!there)
        return ST_OK;
    MPI_Get_count(&status, MPI_BYTE, &len);
    if ((st = buf_reserve(&m.data, (size_t)len + 1)) != ST_OK)
        return st;
    code = MPI_Imrecv(m.data.data, len, MPI_BYTE, &handle, &request);
    if (code != MPI_SUCCESS) {
        buf_free(&m.data);
        return fail(code, "MPI_Imrecv");
    }
    if ((st = finish(&request, "MPI_Imrecv")) != ST_OK) {
        buf_free(&m.data);
        return st;
    }
    m.data.len = (size_t)len;
    m.source = status.MPI_SOURCE;
    m.tag = status.MPI_TAG;
    *out = m;
    *got = true;
    return ST_OK;
}

static bool mpi_is_idle(transport_t *base)
{
    mpi_t *t = (mpi_t *)base;

    sweep_sent(t);
    return t->sending == NULL;
}

static void mpi_abandon(transport_t *base, int exit_code)
{
    (void)base;
    MPI_Abort(MPI_COMM_WORLD, exit_code);
}

static void mpi_destroy(transport_t *base)
{
    mpi_t *t = (mpi_t *)base;

    if (t == NULL)
        return;
    while (!mpi_is_idle(base))
        usleep(WAIT_US);
    message_queue_free(&t->own);
    MPI_Comm_free(&t->comm);
    MPI_Finalize();
    free(t);
}

status_t transport_mpi_create(transport_t **out)
{
    mpi_t *t = calloc(1, sizeof(*t));
    int provided, rank, n_ranks;

    if (t == NULL)
        return log_nomem("the transport");
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED) {
        free(t);
        log_error(
            "MPI cannot be initialised for threads; is this the launcher of the MPI "
            "that ribogrid is built on (%s)?",
            transport_mpi_version());
        return ST_EPEER;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &t->comm);
    MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(t->comm, &rank);
    MPI_Comm_size(t->comm, &n_ranks);
    t->base = (transport_t){.exchange = {.rank = rank,
                                         .n_ranks = n_ranks,
                                         .broadcast = mpi_broadcast,
                                         .gather = mpi_gather},
                            .send = mpi_send,
                            .receive = mpi_receive,
                            .is_idle = mpi_is_idle,
                            .abandon = mpi_abandon,
                            .destroy = mpi_destroy};
    *out = &t->base;
    return ST_OK;
}

const char *transport_mpi_version(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int len;

    if (MPI_Get_library_version(text, &len) != MPI_SUCCESS)
        return "unknown";
    text[strcspn(text, ",\n")] = '\0';
    return text;
}
