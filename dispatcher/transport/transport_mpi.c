/*
 * transport_mpi.c - the transport over MPI: the one file that calls it.
 *
 * MPI is initialised FUNNELED.  Where a rank may not read another's memory, data moves
 * only while both ends test, some 100 kilobytes per test.  So data on its way is tested
 * without a sleep in between, unless it takes longer than at eager_bytes_per_s: then the
 * rank leaves its processor to the threads that compute.
 *
 * MPI counts with int.  Messages above 2 GiB are described by a datatype of large blocks;
 * collectives are cut into slices.
 */
#include "dispatcher/transport/transport.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLICE_BYTES = 1 << 30, WAIT_US = 200 };
static const double eager_s = 0.02, eager_bytes_per_s = 1e8;

/* How long receive waits for the data of a message, whose sender may be suspended. */
static const double data_s = 1;

typedef struct sending {
    struct sending *next;
    MPI_Request request;
    buf_t data;
} sending_t;

typedef struct receiving {
    struct receiving *next;
    MPI_Request request;
    message_t message;
} receiving_t;

typedef struct {
    transport_t base;
    MPI_Comm comm;
    MPI_Comm gang;       /* of its own, because receive takes messages from any source */
    buf_t requests;      /* MPI_Request of the open collective */
    message_queue_t own; /* to itself */
    sending_t *sending;
    double sending_until;   /* tested without a sleep (clock_now_s) */
    receiving_t *receiving; /* the oldest first; a rank's messages stay in order */
    int64_t n_calls;        /* of the roll */
    int64_t *answered;      /* [n_ranks] the last call that each rank has answered */
    bool has_left;
} mpi_t;

static status_t fail(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = 0;

    MPI_Error_string(code, text, &len);
    log_error("MPI: %s: %s", call, text);
    return ST_EPEER;
}

/* @return until when a request for `len` bytes is tested without a sleep */
static double eager_until(double start_s, size_t len)
{
    return start_s + eager_s + (double)len / eager_bytes_per_s;
}

/* Test a request; if it is not done, wait a little: at first without a sleep. */
static status_t test(MPI_Request *request, const char *call, double eager_until_s,
                     bool *done)
{
    int is_done = 0, code = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);

    if (code != MPI_SUCCESS)
        return fail(code, call);
    *done = is_done;
    if (is_done)
        return ST_OK;
    if (clock_now_s() > eager_until_s)
        usleep(WAIT_US);
    else
        sched_yield();
    return ST_OK;
}

static status_t finish(MPI_Request *request, const char *call)
{
    const double until = eager_until(clock_now_s(), 0);
    bool done = false;
    status_t st = ST_OK;

    while (st == ST_OK && !done)
        st = test(request, call, until, &done);
    return st;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A count and a datatype for len bytes. @param type  to be freed with free_type */
static int describe(int64_t len, MPI_Datatype *type)
{
    int64_t rest = len % SLICE_BYTES;
    MPI_Datatype slice, both[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    int counts[2] = {(int)(len / SLICE_BYTES), (int)rest};
    MPI_Aint at[2] = {0, (MPI_Aint)(len - rest)};

    *type = MPI_BYTE;
    if (len <= INT_MAX)
        return (int)len;
    MPI_Type_contiguous(SLICE_BYTES, MPI_BYTE, &slice);
    both[0] = slice;
    MPI_Type_create_struct(2, counts, at, both, type);
    MPI_Type_commit(type);
    MPI_Type_free(&slice);
    return 1;
}

/* Legal as soon as the operation has begun. */
static void free_type(MPI_Datatype *type)
{
    if (*type != MPI_BYTE)
        MPI_Type_free(type);
}

/* Free what has left, and note whether the rest should be on its way. */
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
    t->base.is_sending = t->sending != NULL && clock_now_s() < t->sending_until;
}

static status_t mpi_send(transport_t *base, int to, int tag, buf_t *data)
{
    mpi_t *t = (mpi_t *)base;
    MPI_Datatype type;
    sending_t *s;
    int code, count;

    if (to == base->exchange.rank)
        return message_queue_push(&t->own, to, tag, data);
    if ((s = calloc(1, sizeof(*s))) == NULL) {
        buf_free(data);
        return log_nomem("a message");
    }
    s->data = *data;
    *data = (buf_t){0};
    count = describe((int64_t)s->data.len, &type);
    code = MPI_Isend(s->data.data, count, type, to, tag, t->comm, &s->request);
    free_type(&type);
    if (code != MPI_SUCCESS) {
        buf_free(&s->data);
        free(s);
        return fail(code, "MPI_Isend");
    }
    s->next = t->sending;
    t->sending = s;
    t->sending_until = fmax(t->sending_until, eager_until(clock_now_s(), 0)) +
                       (double)s->data.len / eager_bytes_per_s;
    return ST_OK;
}

/* Begin to receive a message that has been matched. */
static status_t begin_receive(MPI_Message *handle, const MPI_Status *status,
                              message_t *out, MPI_Request *request)
{
    MPI_Count len = 0;
    MPI_Datatype type;
    int code, count;
    status_t st;

    *out = (message_t){.source = status->MPI_SOURCE, .tag = status->MPI_TAG};
    MPI_Get_elements_x(status, MPI_BYTE, &len);
    if ((st = buf_reserve(&out->data, (size_t)len + 1)) != ST_OK)
        return st;
    count = describe(len, &type);
    code = MPI_Imrecv(out->data.data, count, type, handle, request);
    free_type(&type);
    out->data.len = (size_t)len;
    return code == MPI_SUCCESS ? ST_OK : fail(code, "MPI_Imrecv");
}

/* ---- a roll call: who takes part in an exchange that takes long ---- */

/* Tags of the transport itself; a run ignores such messages. */
enum { TAG_CALL = 1 << 10, TAG_HERE };

/* What rank 0 has done in an exchange. */
typedef struct {
    bool is_called, is_named;
} roll_t;

static status_t send_number(mpi_t *t, int to, int tag, int64_t number)
{
    buf_t message = {0};
    status_t st = buf_append(&message, &number, sizeof(number));

    return st == ST_OK ? mpi_send(&t->base, to, tag, &message) : st;
}

/* Take such a message, if there is one. @param source  out: -1 if not */
static status_t take_number(mpi_t *t, int tag, int *source, int64_t *number)
{
    message_t m = {0};
    MPI_Message handle;
    MPI_Request request;
    MPI_Status status;
    int arrived = 0;
    int code = MPI_Improbe(MPI_ANY_SOURCE, tag, t->comm, &arrived, &handle, &status);
    status_t st;

    *source = -1;
    if (code != MPI_SUCCESS)
        return fail(code, "MPI_Improbe");
    if (!arrived)
        return ST_OK;
    if ((st = begin_receive(&handle, &status, &m, &request)) == ST_OK &&
        (st = finish(&request, "MPI_Imrecv")) == ST_OK) {
        memcpy(number, m.data.data, sizeof(*number));
        *source = m.source;
    }
    buf_free(&m.data);
    return st;
}

static status_t answer_roll(mpi_t *t)
{
    int64_t number;
    int source;
    status_t st = take_number(t, TAG_CALL, &source, &number);

    return st == ST_OK && source == 0 ? send_number(t, 0, TAG_HERE, number) : st;
}

/* Call the roll when half of the patience is over, and name who has not answered when all
 * of it is. */
static status_t call_roll(mpi_t *t, roll_t *r, double waited_s)
{
    const exchange_t *x = &t->base.exchange;
    int source = 0;
    int64_t number;
    status_t st = ST_OK;

    if (!r->is_called && waited_s > x->patience_s / 2) {
        r->is_called = true;
        t->n_calls++;
        for (int i = 1; st == ST_OK && i < x->n_ranks; i++)
            st = send_number(t, i, TAG_CALL, t->n_calls);
    }
    while (st == ST_OK && source >= 0)
        if ((st = take_number(t, TAG_HERE, &source, &number)) == ST_OK && source >= 0)
            t->answered[source] = number;
    if (st != ST_OK || r->is_named || waited_s <= x->patience_s)
        return st;
    r->is_named = true;
    for (int i = 1; i < x->n_ranks; i++)
        if (t->answered[i] < t->n_calls)
            log_warn(
                "rank %d has not answered for %.3g s (--task-timeout), and the start "
                "of the run waits for it; stop the run if it does not go on",
                i, x->patience_s);
    return ST_OK;
}

/* Wait for the other ranks. @param len  bytes that this one sends or receives */
static status_t finish_exchange(mpi_t *t, MPI_Request *request, size_t len,
                                const char *call)
{
    const double start_s = clock_now_s(), until = eager_until(start_s, len);
    roll_t roll = {.is_called = false};
    bool done = false;
    status_t st = ST_OK;

    while (st == ST_OK && (st = test(request, call, until, &done)) == ST_OK && !done)
        if (t->base.exchange.patience_s > 0)
            st = t->base.exchange.rank == 0 ? call_roll(t, &roll, clock_now_s() - start_s)
                                            : answer_roll(t);
    return st;
}

/* ---- exchanges ---- */

static status_t mpi_broadcast(exchange_t *x, void *data, size_t len)
{
    mpi_t *t = (mpi_t *)x; /* the exchange is the transport's first member */
    char *p = data;
    status_t st = ST_OK;

    while (st == ST_OK && len > 0) {
        int slice = (int)smaller((int64_t)len, SLICE_BYTES);
        MPI_Request request;
        int code = MPI_Ibcast(p, slice, MPI_BYTE, 0, t->comm, &request);

        st = code == MPI_SUCCESS
                 ? finish_exchange(t, &request, (size_t)slice, "MPI_Ibcast")
                 : fail(code, "MPI_Ibcast");
        p += slice;
        len -= (size_t)slice;
    }
    return st;
}

/* Slices of each rank's data, which are `len` bytes apart where they go to. */
static status_t mpi_allgather(exchange_t *x, const void *in, size_t len, void *out)
{
    mpi_t *t = (mpi_t *)x;
    status_t st = ST_OK;

    for (size_t at = 0; st == ST_OK && at < len; at += SLICE_BYTES) {
        int slice = (int)smaller((int64_t)(len - at), SLICE_BYTES), code;
        MPI_Datatype bytes, spaced;
        MPI_Request request;

        MPI_Type_contiguous(slice, MPI_BYTE, &bytes);
        MPI_Type_create_resized(bytes, 0, (MPI_Aint)len, &spaced);
        MPI_Type_commit(&spaced);
        code = MPI_Iallgather((const char *)in + at, slice, MPI_BYTE, (char *)out + at, 1,
                              spaced, t->comm, &request);
        st = code == MPI_SUCCESS
                 ? finish_exchange(t, &request, (size_t)slice * (size_t)x->n_ranks,
                                   "MPI_Iallgather")
                 : fail(code, "MPI_Iallgather");
        MPI_Type_free(&spaced);
        MPI_Type_free(&bytes);
    }
    return st;
}

/* ---- messages ---- */

/* Begin to receive what has arrived, and wait a while for all of it. */
static status_t receive_next(mpi_t *t)
{
    receiving_t **end = &t->receiving, *r;
    const double start_s = clock_now_s();
    double until;
    MPI_Message handle;
    MPI_Status status;
    int arrived = 0;
    int code =
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->comm, &arrived, &handle, &status);
    bool done = false;
    status_t st;

    if (code != MPI_SUCCESS)
        return fail(code, "MPI_Improbe");
    if (!arrived)
        return ST_OK;
    if ((r = calloc(1, sizeof(*r))) == NULL)
        return log_nomem("a message");
    if ((st = begin_receive(&handle, &status, &r->message, &r->request)) != ST_OK) {
        buf_free(&r->message.data);
        free(r);
        return st;
    }
    while (*end != NULL)
        end = &(*end)->next;
    *end = r;
    until = eager_until(start_s, r->message.data.len);
    while (st == ST_OK && !done && clock_now_s() - start_s < data_s)
        st = test(&r->request, "MPI_Imrecv", until, &done);
    return st;
}

/* @return whether an older message of its source is still to come */
static bool is_preceded(const mpi_t *t, const receiving_t *r)
{
    const receiving_t *other = t->receiving;

    while (other != r && other->message.source != r->message.source)
        other = other->next;
    return other != r;
}

/* Take the oldest message that is complete. */
static status_t take_received(mpi_t *t, message_t *out, bool *got)
{
    for (receiving_t **at = &t->receiving; *at != NULL; at = &(*at)->next) {
        receiving_t *r = *at;
        int done = 0, code;

        if (is_preceded(t, r))
            continue;
        if ((code = MPI_Test(&r->request, &done, MPI_STATUS_IGNORE)) != MPI_SUCCESS)
            return fail(code, "MPI_Imrecv");
        if (!done)
            continue;
        *out = r->message;
        *got = true;
        *at = r->next;
        free(r);
        return ST_OK;
    }
    return ST_OK;
}

static status_t mpi_receive(transport_t *base, message_t *out, bool *got)
{
    mpi_t *t = (mpi_t *)base;
    status_t st;

    sweep_sent(t);
    if ((*got = message_queue_pop(&t->own, out)))
        return ST_OK;
    if ((st = take_received(t, out, got)) != ST_OK || *got)
        return st;
    st = receive_next(t);
    return st == ST_OK ? take_received(t, out, got) : st;
}

/* Wait until everything sent has left. */
static void wait_for_sent(mpi_t *t)
{
    for (sweep_sent(t); t->sending != NULL; sweep_sent(t))
        usleep(WAIT_US);
}

/* @return one more request of the collective, or NULL (out of memory, logged) */
static MPI_Request *add_request(mpi_t *t)
{
    const MPI_Request none = MPI_REQUEST_NULL;

    if (buf_append(&t->requests, &none, sizeof(none)) != ST_OK)
        return NULL;
    return (MPI_Request *)(void *)(t->requests.data + t->requests.len - sizeof(none));
}

static status_t begin_allreduce(mpi_t *t, const collective_t *c)
{
    static const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
    const MPI_Datatype types[] = {MPI_INT64_T, MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE};
    int64_t bytes = (int64_t)gang_type_bytes(c->type), max_n = SLICE_BYTES / bytes;

    for (int64_t i = 0; i < c->n; i += max_n) {
        const char *in = (const char *)c->in + i * bytes;
        char *out = (char *)c->out + i * bytes;
        MPI_Request *request = add_request(t);
        int code;

        if (request == NULL)
            return ST_ENOMEM;
        code = MPI_Iallreduce(in == out ? MPI_IN_PLACE : in, out,
                              (int)smaller(c->n - i, max_n), types[c->type], ops[c->op],
                              t->gang, request);
        if (code != MPI_SUCCESS)
            return fail(code, "MPI_Iallreduce");
    }
    return ST_OK;
}

static status_t begin_broadcast(mpi_t *t, const collective_t *c)
{
    for (int64_t i = 0; i < c->n; i += SLICE_BYTES) {
        MPI_Request *request = add_request(t);
        int code;

        if (request == NULL)
            return ST_ENOMEM;
        code = MPI_Ibcast((char *)c->out + i, (int)smaller(c->n - i, SLICE_BYTES),
                          MPI_BYTE, c->root, t->gang, request);
        if (code != MPI_SUCCESS)
            return fail(code, "MPI_Ibcast");
    }
    return ST_OK;
}

/* One message per pair of ranks that has data, because most have none in a halo exchange;
 * and MPI's own all-to-all has offsets of 32 bits. */
static status_t begin_alltoallv(mpi_t *t, const collective_t *c)
{
    int n = t->base.exchange.n_ranks, me = t->base.exchange.rank;

    for (int k = 1; k < n; k++) {
        int from = (me + n - k) % n, to = (me + k) % n, code = MPI_SUCCESS;
        MPI_Request *request;
        MPI_Datatype type;
        int count;

        if (c->recv_len[from] > 0) {
            if ((request = add_request(t)) == NULL)
                return ST_ENOMEM;
            count = describe(c->recv_len[from], &type);
            code = MPI_Irecv((char *)c->out + c->recv_at[from], count, type, from, 0,
                             t->gang, request);
            free_type(&type);
        }
        if (code == MPI_SUCCESS && c->send_len[to] > 0) {
            if ((request = add_request(t)) == NULL)
                return ST_ENOMEM;
            count = describe(c->send_len[to], &type);
            code = MPI_Isend((const char *)c->in + c->send_at[to], count, type, to, 0,
                             t->gang, request);
            free_type(&type);
        }
        if (code != MPI_SUCCESS)
            return fail(code, "MPI_Irecv or MPI_Isend");
    }
    return gang_host_copy(NULL, (char *)c->out + c->recv_at[me],
                          (const char *)c->in + c->send_at[me], (size_t)c->send_len[me]);
}

static status_t begin_barrier(mpi_t *t)
{
    MPI_Request *request = add_request(t);
    int code;

    if (request == NULL)
        return ST_ENOMEM;
    code = MPI_Ibarrier(t->gang, request);
    return code == MPI_SUCCESS ? ST_OK : fail(code, "MPI_Ibarrier");
}

static status_t mpi_collective_begin(transport_t *base, const collective_t *c)
{
    mpi_t *t = (mpi_t *)base;

    t->requests.len = 0;
    switch (c->kind) {
    case COLLECTIVE_ALLREDUCE:
        return begin_allreduce(t, c);
    case COLLECTIVE_BROADCAST:
        return begin_broadcast(t, c);
    case COLLECTIVE_ALLTOALLV:
        return begin_alltoallv(t, c);
    default:
        return begin_barrier(t);
    }
}

static status_t mpi_collective_test(transport_t *base, bool *done)
{
    mpi_t *t = (mpi_t *)base;
    int all = 0;
    int code =
        MPI_Testall((int)(t->requests.len / sizeof(MPI_Request)),
                    (MPI_Request *)(void *)t->requests.data, &all, MPI_STATUSES_IGNORE);

    if (code != MPI_SUCCESS)
        return fail(code, "MPI_Testall");
    *done = all;
    return ST_OK;
}

/* Communicators with an open collective cannot be freed.  An abort would end the ranks as
 * well, but Open MPI 4.1's mpirun crashes now and then when some of them finalize. */
static void mpi_leave(transport_t *base)
{
    mpi_t *t = (mpi_t *)base;

    wait_for_sent(t);
    MPI_Finalize();
    t->has_left = true;
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
    if (!t->has_left) {
        wait_for_sent(t);
        MPI_Comm_free(&t->gang);
        MPI_Comm_free(&t->comm);
        MPI_Finalize();
    }
    message_queue_free(&t->own);
    buf_free(&t->requests);
    free(t->answered);
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
        log_error("MPI cannot be initialised for threads; start the program with the "
                  "launcher of the MPI that it was built with (%s)",
                  transport_mpi_version());
        return ST_EPEER;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &t->comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &t->gang);
    MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(t->gang, MPI_ERRORS_RETURN);
    MPI_Comm_rank(t->comm, &rank);
    MPI_Comm_size(t->comm, &n_ranks);
    if ((t->answered = calloc((size_t)n_ranks, sizeof(*t->answered))) == NULL) {
        log_nomem("the transport");
        abort(); /* the others wait for this rank */
    }
    t->base = (transport_t){.exchange = {.rank = rank,
                                         .n_ranks = n_ranks,
                                         .broadcast = mpi_broadcast,
                                         .allgather = mpi_allgather},
                            .send = mpi_send,
                            .receive = mpi_receive,
                            .collective_begin = mpi_collective_begin,
                            .collective_test = mpi_collective_test,
                            .leave = mpi_leave,
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
