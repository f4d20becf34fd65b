/*
 * stream_peer.c - one end of a stream between two ranks, without waiting.
 */
#include "dispatcher/transport/stream_peer.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds without another frame after which one is sent as a sign of life. */
static const double beat_s = 2;

/* Fewer bytes of a frame within STREAM_SILENCE_S are no progress: signs of life alone
 * make nearly as much. */
enum { MIN_BYTES = 1000 };

/* How long a child that carries a stream may take to end by itself, in milliseconds. */
enum { CHILD_END_MS = 2000 };

void stream_peer_begin(stream_peer_t *p, const stream_end_t *end)
{
    *p = (stream_peer_t){.end = *end, .is_open = true};
    p->last = &p->first;
    if (end->in < 0) { /* whoever tried has said why */
        p->is_open = false;
        p->is_named = true;
    }
    p->heard_s = p->sent_s = p->begun_s = clock_now_s();
    (void)fcntl(end->in, F_SETFL, fcntl(end->in, F_GETFL) | O_NONBLOCK);
    (void)fcntl(end->out, F_SETFL, fcntl(end->out, F_GETFL) | O_NONBLOCK);
}

status_t stream_peer_push(stream_peer_t *p, frame_head_t head, buf_t *data,
                          const void *borrowed)
{
    outgoing_t *o;

    if (!p->is_open) {
        p->has_lost = true;
        if (data != NULL)
            buf_free(data);
        return ST_OK;
    }
    if ((o = calloc(1, sizeof(*o))) == NULL) {
        if (data != NULL)
            buf_free(data);
        return log_nomem("a message");
    }
    o->head = head;
    o->data = borrowed;
    if (data != NULL) {
        o->owned = *data;
        o->data = o->owned.data;
        *data = (buf_t){0};
    }
    if (o->data == NULL)
        o->data = ""; /* an address, for arithmetic */
    *p->last = o;
    p->last = &o->next;
    return ST_OK;
}

/* Take the first frame that is to be sent from the list. */
static void drop_first(stream_peer_t *p)
{
    outgoing_t *o = p->first;

    p->first = o->next;
    if (p->first == NULL)
        p->last = &p->first;
    buf_free(&o->owned);
    free(o);
}

void stream_peer_leave(stream_peer_t *p, const char *why)
{
    if (!p->is_open)
        return;
    p->is_open = false;
    p->has_lost = p->first != NULL;
    snprintf(p->why, sizeof(p->why), "%s", why);
    while (p->first != NULL)
        drop_first(p);
}

static void leave_by_error(stream_peer_t *p)
{
    char why[STREAM_WHY_BYTES];

    snprintf(why, sizeof(why), "the connection was lost (%.100s)", strerror(errno));
    stream_peer_leave(p, why);
}

static bool is_temporary(int code)
{
    return code == EAGAIN || code == EWOULDBLOCK || code == EINTR;
}

void stream_peer_write(stream_peer_t *p)
{
    while (p->is_open && p->first != NULL) {
        outgoing_t *o = p->first;
        const size_t head = sizeof(o->head);
        const size_t head_sent = o->n_sent < head ? o->n_sent : head;
        struct iovec parts[2] = {{(char *)&o->head + head_sent, head - head_sent},
                                 {(char *)(uintptr_t)o->data + (o->n_sent - head_sent),
                                  (size_t)o->head.len - (o->n_sent - head_sent)}};
        const ssize_t n = writev(p->end.out, parts, 2);

        if (n < 0 && !is_temporary(errno))
            leave_by_error(p);
        if (n < 0)
            return;
        p->sent_s = clock_now_s();
        o->n_sent += (size_t)n;
        if (o->n_sent == head + o->head.len)
            drop_first(p);
    }
}

static size_t arrived(const stream_peer_t *p)
{
    return p->in.head_len + p->in.len;
}

/* From now on, progress of the frame that is read is measured. */
static void begin_progress(stream_peer_t *p, double now)
{
    p->begun_s = now;
    p->begun_bytes = arrived(p);
}

bool stream_peer_read(stream_peer_t *p)
{
    while (p->is_open && !frame_reader_waits(&p->in)) {
        void *at;
        size_t len;
        ssize_t n;
        bool is_complete;

        if (frame_reader_room(&p->in, &at, &len) != ST_OK) {
            stream_peer_leave(p, "there is no memory for what it sent");
            return false;
        }
        n = read(p->end.in, at, len);
        if (n == 0)
            stream_peer_leave(p, "the connection was closed");
        else if (n < 0 && !is_temporary(errno))
            leave_by_error(p);
        if (n <= 0)
            return false;
        p->heard_s = clock_now_s();
        is_complete = frame_reader_took(&p->in, (size_t)n);
        if (p->in.why != NULL)
            stream_peer_leave(p, p->in.why);
        if (is_complete || arrived(p) == (size_t)n)
            begin_progress(p, p->heard_s);
        if (is_complete)
            return true;
    }
    return false;
}

/* A frame of which too little arrives will not be complete: its length is wrong. */
static bool is_stuck(stream_peer_t *p, double now)
{
    if (p->in.head_len == 0 || now - p->begun_s <= STREAM_SILENCE_S)
        return false;
    if (arrived(p) - p->begun_bytes < MIN_BYTES)
        return true;
    begin_progress(p, now);
    return false;
}

void stream_peer_look(stream_peer_t *p, double now, bool is_read)
{
    const frame_head_t beat = {.kind = FRAME_BEAT};
    char why[STREAM_WHY_BYTES];

    if (!is_read) {
        p->heard_s = now;
        begin_progress(p, now);
    }
    if (p->is_open && is_stuck(p, now))
        stream_peer_leave(p, "it does not finish what it sends");
    if (p->is_open && now - p->heard_s > STREAM_SILENCE_S) {
        snprintf(why, sizeof(why), "nothing was heard of it for %d s", STREAM_SILENCE_S);
        stream_peer_leave(p, why);
    }
    if (p->first == NULL && now - p->sent_s > beat_s &&
        stream_peer_push(p, beat, NULL, NULL) != ST_OK)
        stream_peer_leave(p, "there is no memory for messages to it");
}

void stream_end_shut(stream_end_t *end)
{
    if (end->in >= 0)
        close(end->in);
    if (end->out >= 0 && end->out != end->in)
        close(end->out);
    end->in = end->out = -1;
}

void stream_end_close(stream_end_t *end)
{
    stream_end_shut(end);
    for (int ms = 0; end->child > 0 && ms <= CHILD_END_MS; ms++) {
        if (waitpid(end->child, NULL, WNOHANG) != 0)
            end->child = 0;
        else
            usleep(1000);
    }
    if (end->child > 0) {
        kill(end->child, SIGKILL);
        waitpid(end->child, NULL, 0);
    }
    *end = (stream_end_t){.in = -1, .out = -1};
}

void stream_peer_free(stream_peer_t *p)
{
    stream_peer_leave(p, "");
    frame_reader_free(&p->in);
    stream_end_close(&p->end);
}
