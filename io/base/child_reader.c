/*
 * child_reader.c - a number, a length and bytes through a socket say what the child is to
 * read; the answer is a status, a length and bytes.
 */
#include "io/base/child_reader.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct child_reader {
    child_t child; /* pid 0: it has ended */
    int socket;
};

/* Before the bytes of a question (what) or an answer (status_t). */
typedef struct {
    int64_t what, len;
} head_t;

/* Send all of it. @return whether the other side is still there */
static bool send_all(int to, const void *data, size_t len)
{
    const char *at = data;

    while (len > 0) {
        ssize_t n = send(to, at, len, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

/* In the child: receive exactly len bytes. @return whether they came */
static bool receive(int socket, void *data, size_t len)
{
    ssize_t n;

    do /* of nothing, recv would wait */
        n = len > 0 ? recv(socket, data, len, MSG_WAITALL) : 0;
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)len;
}

/* In the child: read whenever the parent asks, until it ends. */
static void serve(int socket, child_reader_fn_t fn, const void *arg)
{
    head_t head;

    while (receive(socket, &head, sizeof(head))) {
        buf_t out = {0};

        if (buf_reserve(&out, (size_t)head.len + 1) != ST_OK ||
            !receive(socket, out.data, (size_t)head.len))
            break;
        out.len = (size_t)head.len;
        head.what = fn(arg, (int)head.what, &out);
        head.len = head.what == ST_OK ? (int64_t)out.len : 0;
        if (!send_all(socket, &head, sizeof(head)) ||
            !send_all(socket, out.data, (size_t)head.len))
            break;
        buf_free(&out);
    }
    _exit(EXIT_OK);
}

status_t child_reader_start(const child_limits_t *limits, child_reader_fn_t fn,
                            const void *arg, child_reader_t **out)
{
    child_reader_t *r = calloc(1, sizeof(*r));
    int ends[2];
    status_t st;

    if (r == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(r);
        return log_nomem("a process that reads");
    }
    if ((st = child_fork(limits, &r->child)) != ST_OK) {
        close(ends[0]);
        close(ends[1]);
        free(r);
        return st;
    }
    close(ends[r->child.pid == 0 ? 0 : 1]);
    if (r->child.pid == 0)
        serve(ends[1], fn, arg);
    r->socket = ends[0];
    *out = r;
    return ST_OK;
}

/* Receive exactly len bytes, and watch the child meanwhile. @return whether they came */
static bool receive_all(child_reader_t *r, void *data, size_t len)
{
    int wait_ms = (int)(1e3 * child_watch_s(&r->child));
    char *at = data;

    while (len > 0) {
        struct pollfd in = {.fd = r->socket, .events = POLLIN};
        ssize_t n = 0;

        if (poll(&in, 1, wait_ms) > 0) {
            n = recv(r->socket, at, len, 0);
            if (n == 0 || (n < 0 && errno != EINTR))
                return false;
        }
        at += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
        child_watch(&r->child);
    }
    return true;
}

/* The child has ended instead of answering. */
static status_t log_end(child_reader_t *r)
{
    int status = 0;

    kill(r->child.pid, SIGKILL); /* it may have sent nonsense and live on */
    if (waitpid(r->child.pid, &status, 0) != r->child.pid)
        status = SIGKILL;
    child_ended(&r->child, status);
    r->child.pid = 0;
    return ST_EINPUT;
}

status_t child_ask(child_reader_t *r, int what, const buf_t *details)
{
    const head_t head = {what, (int64_t)details->len};

    if (r->child.pid == 0)
        return ST_EINPUT;   /* its end was logged */
    child_watch(&r->child); /* the time until now is not the answer's */
    return send_all(r->socket, &head, sizeof(head)) &&
                   send_all(r->socket, details->data, details->len)
               ? ST_OK
               : log_end(r);
}

status_t child_answer(child_reader_t *r, buf_t *out)
{
    head_t head;
    status_t st;

    if (r->child.pid == 0)
        return ST_EINPUT;
    if (!receive_all(r, &head, sizeof(head)) || head.what > ST_OK || head.len < 0 ||
        head.len > CHILD_READER_BYTES)
        return log_end(r);
    out->len = 0;
    if (head.what != ST_OK)
        return (status_t)head.what;
    if ((st = buf_reserve(out, (size_t)head.len + 1)) != ST_OK)
        return st;
    if (!receive_all(r, out->data, (size_t)head.len))
        return log_end(r);
    out->len = (size_t)head.len;
    return ST_OK;
}

status_t child_fetch(child_reader_t *r, int what, buf_t *out)
{
    const status_t st = child_ask(r, what, out);

    return st == ST_OK ? child_answer(r, out) : st;
}

void child_reader_stop(child_reader_t *r)
{
    if (r == NULL || r->child.pid == 0)
        return;
    kill(r->child.pid, SIGKILL);
    waitpid(r->child.pid, NULL, 0);
    r->child.pid = 0;
}

void child_reader_destroy(child_reader_t *r)
{
    child_reader_stop(r);
    if (r != NULL)
        close(r->socket);
    free(r);
}
