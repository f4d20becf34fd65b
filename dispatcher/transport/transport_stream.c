/*
 * transport_stream.c - the transport over streams, with a thread that reads and writes.
 */
#include "dispatcher/transport/transport_stream.h"

#include "dispatcher/transport/stream_peer.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/pool.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Bytes that have arrived for the main thread and from which on no more are read. */
enum { INBOX_BYTES = 64 << 20 };

/* Lines of another rank's messages that are shown. */
enum { LINES_MAX = 1000 };

enum { LOOK_MS = 500 };

typedef struct {
    transport_t base;
    log_sink_t sink; /* a device's messages */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something was sent, has arrived, or a stream has ended */
    pthread_t thread;
    bool has_thread, ends;
    int wake; /* eventfd: ends the wait of the thread */
    int n;    /* peers */
    stream_peer_t *peers;
    message_queue_t own, inbox;
    size_t inbox_bytes;
    stream_digest_t *digest; /* rank 0's */
    stream_inputs_t *inputs; /* a device's; NULL: none are kept */
} stream_t;

static bool is_client(const stream_t *t)
{
    return t->base.exchange.rank == 0;
}

static int rank_of(const stream_t *t, const stream_peer_t *p)
{
    return is_client(t) ? (int)(p - t->peers) + 1 : 0;
}

static void wake(const stream_t *t)
{
    const uint64_t one = 1;

    if (write(t->wake, &one, sizeof(one)) < 0)
        return; /* it is full: the thread will not wait */
}

/* ---- the thread ---- */

/* Show a line of another rank's messages. */
static void show_line(stream_peer_t *p)
{
    const frame_reader_t *in = &p->in;

    if (p->n_lines++ < LINES_MAX)
        log_line((log_level_t)in->head.tag, "", "%s: %.*s", p->end.name,
                 (int)in->data.len, in->data.len > 0 ? (const char *)in->data.data : "");
}

static void take_frame(stream_t *t, stream_peer_t *p)
{
    frame_reader_t *in = &p->in;

    if (in->head.kind == FRAME_LOG) {
        if (is_client(t))
            show_line(p);
        else
            stream_peer_leave(p, "sent a line that no client sends");
    } else if (in->head.kind == FRAME_MESSAGE) {
        t->inbox_bytes += in->data.len;
        if (message_queue_push(&t->inbox, rank_of(t, p), in->head.tag, &in->data) !=
            ST_OK)
            stream_peer_leave(p, "there is no memory for what it sent");
    }
    frame_reader_next(in);
}

static bool is_read(const stream_t *t, const stream_peer_t *p)
{
    return p->is_open && t->inbox_bytes < INBOX_BYTES && !frame_reader_waits(&p->in);
}

static void serve_peer(stream_t *t, stream_peer_t *p)
{
    if (p->is_open && p->in.exchange.is_due && frame_reader_settle(&p->in))
        take_frame(t, p); /* it had arrived before */
    if (p->in.why != NULL)
        stream_peer_leave(p, p->in.why);
    while (is_read(t, p) && stream_peer_read(p))
        take_frame(t, p);
    stream_peer_write(p);
    stream_peer_look(p, clock_now_s(), is_read(t, p));
    if (!p->is_open)
        stream_end_shut(&p->end);
}

static void list_events(const stream_t *t, struct pollfd *events)
{
    events[0] = (struct pollfd){.fd = t->wake, .events = POLLIN};
    for (int i = 0; i < t->n; i++) {
        const stream_peer_t *p = &t->peers[i];
        const bool writes = p->is_open && p->first != NULL;

        events[1 + 2 * i] =
            (struct pollfd){.fd = is_read(t, p) ? p->end.in : -1, .events = POLLIN};
        events[2 + 2 * i] =
            (struct pollfd){.fd = writes ? p->end.out : -1, .events = POLLOUT};
    }
}

static void *serve(void *transport)
{
    stream_t *t = transport;
    struct pollfd *events = calloc(1 + 2 * (size_t)t->n, sizeof(*events));
    uint64_t n_wakes;

    pthread_mutex_lock(&t->lock);
    while (!t->ends) {
        for (int i = 0; i < t->n; i++)
            serve_peer(t, &t->peers[i]);
        pthread_cond_broadcast(&t->changed);
        if (events == NULL) { /* without memory it looks as often as the main thread */
            pthread_mutex_unlock(&t->lock);
            usleep(1000);
            pthread_mutex_lock(&t->lock);
            continue;
        }
        list_events(t, events);
        pthread_mutex_unlock(&t->lock);
        if (poll(events, 1 + 2 * (nfds_t)t->n, LOOK_MS) > 0 && events[0].revents != 0 &&
            read(t->wake, &n_wakes, sizeof(n_wakes)) < 0)
            n_wakes = 0; /* somebody else's wake: there is none */
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    free(events);
    return NULL;
}

/* ---- messages ---- */

static stream_peer_t *peer_of(stream_t *t, int rank)
{
    return is_client(t) ? &t->peers[rank - 1] : &t->peers[0];
}

static status_t stream_send(transport_t *base, int to, int tag, buf_t *data)
{
    stream_t *t = (stream_t *)base;
    const frame_head_t head = {.kind = FRAME_MESSAGE, .tag = tag, .len = data->len};
    status_t st;

    if (to == base->exchange.rank)
        return message_queue_push(&t->own, to, tag, data);
    pthread_mutex_lock(&t->lock);
    st = stream_peer_push(peer_of(t, to), head, data, NULL);
    pthread_mutex_unlock(&t->lock);
    wake(t);
    return st;
}

/* Under the lock: all exchanges are over, and nobody would ever read what is behind one
 * that is not due. */
static void leave_waiting(stream_t *t)
{
    for (int i = 0; i < t->n; i++)
        if (frame_reader_waits(&t->peers[i].in))
            stream_peer_leave(&t->peers[i], "sent data of an exchange that is not due");
}

/* Under the lock. @return a peer that has left since, or NULL */
static stream_peer_t *find_gone(stream_t *t)
{
    for (int i = 0; i < t->n; i++)
        if (!t->peers[i].is_open && !t->peers[i].is_reported)
            return &t->peers[i];
    return NULL;
}

static void name_gone(const stream_t *t, stream_peer_t *p)
{
    if (!p->is_named)
        log_warn("rank %d (%s) is gone: %s", rank_of(t, p), p->end.name, p->why);
    p->is_named = true;
}

static status_t stream_receive(transport_t *base, message_t *out, bool *got)
{
    stream_t *t = (stream_t *)base;
    stream_peer_t *gone = NULL;
    bool was_full;

    if ((*got = message_queue_pop(&t->own, out)))
        return ST_OK;
    pthread_mutex_lock(&t->lock);
    leave_waiting(t);
    was_full = t->inbox_bytes >= INBOX_BYTES;
    if ((*got = message_queue_pop(&t->inbox, out)))
        t->inbox_bytes -= out->data.len;
    else if ((gone = find_gone(t)) != NULL)
        gone->is_reported = true;
    pthread_mutex_unlock(&t->lock);
    if (was_full)
        wake(t);
    if (gone == NULL)
        return ST_OK;
    if (!is_client(t)) {
        log_error("%s: %s", gone->end.name, gone->why);
        return ST_EPEER;
    }
    name_gone(t, gone);
    *out = (message_t){.source = rank_of(t, gone), .tag = TRANSPORT_GONE};
    *got = true;
    return ST_OK;
}

static void stream_drop(transport_t *base, int rank, const char *why)
{
    stream_t *t = (stream_t *)base;

    pthread_mutex_lock(&t->lock);
    stream_peer_leave(peer_of(t, rank), why);
    pthread_mutex_unlock(&t->lock);
    wake(t);
}

static void stream_dismiss(transport_t *base, int rank)
{
    stream_t *t = (stream_t *)base;

    pthread_mutex_lock(&t->lock);
    peer_of(t, rank)->is_named = true;
    pthread_mutex_unlock(&t->lock);
}

/* ---- calls of all ranks ---- */

/* Under the lock. @return whether a peer's part of an exchange is done */
static bool is_done(const stream_peer_t *p)
{
    return p->first == NULL && !p->in.exchange.is_due;
}

/* Name who has not answered for long. */
static void name_late(const stream_t *t)
{
    for (int i = 0; i < t->n; i++)
        if (!is_done(&t->peers[i]))
            log_warn("rank %d (%s) has not answered for %.3g s (--task-timeout), and the "
                     "start of the run waits for it; stop the run if it does not go on",
                     rank_of(t, &t->peers[i]), t->peers[i].end.name,
                     t->base.exchange.patience_s);
}

/* Under the lock. @return whether a peer is gone that an exchange waits for */
static bool is_missing(const stream_peer_t *p)
{
    return !p->is_open && (p->has_lost || p->in.exchange.is_due);
}

/* Under the lock: a client goes on without a device that is gone; receive reports it. */
static void excuse(const stream_t *t, stream_peer_t *p)
{
    name_gone(t, p);
    p->has_lost = p->in.exchange.is_due = false;
}

/* Under the lock: wait until all peers have sent and received their part. */
static status_t finish_exchange(stream_t *t)
{
    const double patience_s = t->base.exchange.patience_s, begin_s = clock_now_s();
    bool is_named = !is_client(t) || patience_s <= 0;

    wake(t);
    for (;;) {
        struct timespec until;
        bool all = true;

        for (int i = 0; i < t->n; i++) {
            stream_peer_t *p = &t->peers[i];

            if (is_missing(p) && !is_client(t)) {
                log_error("%s: %s while the run started", p->end.name, p->why);
                return ST_EPEER;
            }
            if (is_missing(p))
                excuse(t, p);
            all = all && is_done(p);
        }
        if (all)
            return ST_OK;
        if (!is_named && clock_now_s() - begin_s > patience_s) {
            is_named = true;
            name_late(t);
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&t->changed, &t->lock, &until);
    }
}

static status_t push_all(stream_t *t, const void *data, size_t len)
{
    const frame_head_t head = {.kind = FRAME_EXCHANGE, .len = len};
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < t->n; i++)
        st = stream_peer_push(&t->peers[i], head, NULL, data);
    return st;
}

static void expect(stream_peer_t *p, void *to, size_t len)
{
    p->in.exchange.to = to;
    p->in.exchange.len = len;
    p->in.exchange.is_due = true;
}

/* Wait for what is due, and leave the lock.  After an exchange that failed nothing may
 * lead into the caller's memory. @param st  what came of it so far */
static status_t end_exchange(stream_t *t, status_t st)
{
    if (st == ST_OK)
        st = finish_exchange(t);
    for (int i = 0; st != ST_OK && i < t->n; i++) {
        stream_peer_leave(&t->peers[i], "an exchange failed");
        t->peers[i].in.exchange.is_due = false;
    }
    pthread_mutex_unlock(&t->lock);
    return st;
}

static status_t stream_broadcast(exchange_t *x, void *data, size_t len)
{
    stream_t *t = (stream_t *)(void *)x;
    status_t st = ST_OK;

    pthread_mutex_lock(&t->lock);
    if (is_client(t))
        st = push_all(t, data, len);
    else
        expect(&t->peers[0], data, len);
    return end_exchange(t, st);
}

/* Under the lock: ranks that are gone have sent zeros, whatever has arrived of them.
 * @param all  [ranks] of `len` bytes */
static void forget_gone(const stream_t *t, void *all, size_t len)
{
    for (int i = 0; i < t->n; i++)
        if (!t->peers[i].is_open)
            memset((char *)all + (size_t)(i + 1) * len, 0, len);
}

static status_t stream_allgather(exchange_t *x, const void *in, size_t len, void *out)
{
    stream_t *t = (stream_t *)(void *)x;
    const size_t all = len * (size_t)x->n_ranks;
    status_t st = ST_OK;

    pthread_mutex_lock(&t->lock);
    if (is_client(t)) {
        memcpy(out, in, len);
        for (int i = 0; i < t->n; i++)
            expect(&t->peers[i], (char *)out + (size_t)(i + 1) * len, len);
        st = finish_exchange(t);
        forget_gone(t, out, len);
        if (st == ST_OK)
            st = push_all(t, out, all);
    } else {
        st = push_all(t, in, len);
        expect(&t->peers[0], out, all);
    }
    return end_exchange(t, st);
}

/* ---- inputs ---- */

/* Smaller ones are sent at once. */
enum { KEPT_BYTES = 1 << 16 };

/* Under the lock. @param has  [n] who has the input already */
static status_t push_input(stream_t *t, const array_span_t *spans, size_t n,
                           const unsigned char *has)
{
    status_t st = ST_OK;

    for (int i = 0; i < t->n; i++)
        for (size_t k = 0; st == ST_OK && !has[i] && k < n; k++)
            st = stream_peer_push(&t->peers[i],
                                  (frame_head_t){.kind = FRAME_EXCHANGE,
                                                 .len = spans[k].len},
                                  NULL, spans[k].data);
    return st;
}

/* Under the lock: send the digest, and find out who has that input.
 * @param has  out: 0: it does not; bytes, as a peer may send any */
static status_t ask_for_input(stream_t *t, const unsigned char *digest,
                              unsigned char *has)
{
    status_t st = push_all(t, digest, STREAM_DIGEST_BYTES);

    for (int i = 0; i < t->n; i++)
        if (t->peers[i].end.keeps)
            expect(&t->peers[i], &has[i], sizeof(has[i]));
    return st == ST_OK ? finish_exchange(t) : st;
}

static status_t send_input(stream_t *t, const array_span_t *spans, size_t n)
{
    unsigned char digest[STREAM_DIGEST_BYTES] = {0};
    unsigned char *has = calloc((size_t)t->n, sizeof(*has));
    bool any_keeps = false;
    status_t st = has != NULL ? ST_OK : log_nomem("an input");

    for (int i = 0; i < t->n; i++)
        any_keeps = any_keeps || t->peers[i].end.keeps;
    if (st == ST_OK && any_keeps && !t->digest(spans, n, digest))
        log_verbose("no input is looked for at servers: there is no OpenSSL here");
    pthread_mutex_lock(&t->lock);
    if (st == ST_OK)
        st = ask_for_input(t, digest, has);
    for (int i = 0; st == ST_OK && i < t->n; i++)
        if (has[i])
            log_verbose("rank %d (%s) has kept this input", i + 1, t->peers[i].end.name);
    if (st == ST_OK)
        st = push_input(t, spans, n, has);
    st = end_exchange(t, st);
    free(has);
    return st;
}

/* @return whether what arrived is what was sent; it is kept then */
static bool keep_input(stream_t *t, const unsigned char *digest,
                       const array_span_t *spans, size_t n)
{
    static const unsigned char none[STREAM_DIGEST_BYTES];
    unsigned char mine[STREAM_DIGEST_BYTES];

    if (t->inputs == NULL || memcmp(digest, none, sizeof(none)) == 0 ||
        !t->inputs->digest(spans, n, mine))
        return true;
    if (memcmp(digest, mine, sizeof(mine)) != 0) {
        log_error("an input was changed on its way; run again");
        return false;
    }
    t->inputs->keep(t->inputs, digest, spans, n);
    return true;
}

static status_t receive_input(stream_t *t, const array_span_t *spans, size_t n)
{
    unsigned char digest[STREAM_DIGEST_BYTES] = {0};
    bool has = false;
    status_t st;

    pthread_mutex_lock(&t->lock);
    expect(&t->peers[0], digest, sizeof(digest));
    st = finish_exchange(t);
    if (st == ST_OK && t->inputs != NULL) {
        has = t->inputs->find(t->inputs, digest, spans, n);
        st = push_all(t, &has, sizeof(has));
    }
    for (size_t k = 0; st == ST_OK && !has && k < n; k++) {
        expect(&t->peers[0], spans[k].data, spans[k].len);
        st = finish_exchange(t);
    }
    st = end_exchange(t, st);
    return st != ST_OK || has || keep_input(t, digest, spans, n) ? st : ST_EPEER;
}

static status_t stream_share(exchange_t *x, const array_span_t *spans, size_t n)
{
    stream_t *t = (stream_t *)(void *)x;
    size_t bytes = 0;
    status_t st = ST_OK;

    for (size_t i = 0; i < n; i++)
        bytes += spans[i].len;
    if (bytes >= KEPT_BYTES)
        return is_client(t) ? send_input(t, spans, n) : receive_input(t, spans, n);
    for (size_t i = 0; st == ST_OK && i < n; i++)
        st = stream_broadcast(x, spans[i].data, spans[i].len);
    return st;
}

/* ---- its begin and end ---- */

/* A device's message, to the client.  What does not fit into memory is not shown. */
static void send_line(log_sink_t *sink, log_level_t level, const char *text)
{
    stream_t *t = (stream_t *)(void *)((char *)sink - offsetof(stream_t, sink));
    size_t len = strlen(text);
    buf_t line = {0};

    len = len < FRAME_LOG_BYTES ? len : FRAME_LOG_BYTES;
    pthread_mutex_lock(&t->lock);
    (void)!(buf_append(&line, text, len) == ST_OK &&
            stream_peer_push(
                &t->peers[0],
                (frame_head_t){.kind = FRAME_LOG, .tag = (int32_t)level, .len = len},
                &line, NULL) == ST_OK);
    pthread_mutex_unlock(&t->lock);
    wake(t);
}

static void stream_abandon(transport_t *base, int exit_code)
{
    (void)base;
    _exit(exit_code);
}

/* Wait until everything sent has left, or the streams have ended. */
static void wait_for_sent(stream_t *t)
{
    bool all = false;

    pthread_mutex_lock(&t->lock);
    while (!all) {
        struct timespec until;

        /* an end that is not read would not be found silent */
        leave_waiting(t);
        message_queue_free(&t->inbox);
        t->inbox_bytes = 0;
        all = true;
        for (int i = 0; i < t->n; i++)
            all = all && (!t->peers[i].is_open || t->peers[i].first == NULL);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        wake(t);
        if (!all)
            pthread_cond_timedwait(&t->changed, &t->lock, &until);
    }
    t->ends = true;
    pthread_mutex_unlock(&t->lock);
    wake(t);
    pthread_join(t->thread, NULL);
}

static void stream_destroy(transport_t *base)
{
    stream_t *t = (stream_t *)base;

    if (t == NULL)
        return;
    if (log_sink() == &t->sink)
        log_set_sink(NULL);
    if (t->has_thread)
        wait_for_sent(t);
    for (int i = 0; i < t->n; i++)
        stream_peer_free(&t->peers[i]);
    message_queue_free(&t->own);
    message_queue_free(&t->inbox);
    if (t->wake >= 0)
        close(t->wake);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->changed);
    free(t->peers);
    free(t);
}

/* What is logged under the lock may be sent. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

static status_t create(const stream_end_t *ends, int n, int rank, int n_ranks,
                       transport_t **out)
{
    stream_t *t = calloc(1, sizeof(*t));
    stream_peer_t *peers = calloc((size_t)n, sizeof(*peers));

    if (t == NULL || peers == NULL) {
        for (int i = 0; i < n; i++)
            stream_end_close(&(stream_end_t){.in = ends[i].in,
                                             .out = ends[i].out,
                                             .child = ends[i].child});
        free(t);
        free(peers);
        return log_nomem("the transport");
    }
    signal(SIGPIPE, SIG_IGN);
    t->base = (transport_t){.exchange = {.rank = rank,
                                         .n_ranks = n_ranks,
                                         .has_no_gangs = true,
                                         .broadcast = stream_broadcast,
                                         .share = stream_share,
                                         .allgather = stream_allgather},
                            .send = stream_send,
                            .receive = stream_receive,
                            .drop = stream_drop,
                            .dismiss = stream_dismiss,
                            .abandon = stream_abandon,
                            .destroy = stream_destroy};
    t->sink.take = send_line;
    t->n = n;
    t->peers = peers;
    init_lock(&t->lock);
    pthread_cond_init(&t->changed, NULL);
    for (int i = 0; i < n; i++)
        stream_peer_begin(&t->peers[i], &ends[i]);
    t->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    t->has_thread = t->wake >= 0 && thread_start(&t->thread, serve, t);
    if (!t->has_thread) {
        stream_destroy(&t->base);
        return log_nomem("the transport's thread");
    }
    if (rank != 0)
        log_set_sink(&t->sink);
    *out = &t->base;
    return ST_OK;
}

status_t transport_stream_client(const stream_end_t *ends, int n, stream_digest_t *digest,
                                 transport_t **out)
{
    status_t st = create(ends, n, 0, n + 1, out);

    if (st == ST_OK)
        ((stream_t *)*out)->digest = digest;
    return st;
}

status_t transport_stream_device(const stream_end_t *client, int rank, int n_ranks,
                                 stream_inputs_t *inputs, transport_t **out)
{
    status_t st = create(client, 1, rank, n_ranks, out);

    if (st == ST_OK)
        ((stream_t *)*out)->inputs = inputs;
    return st;
}
