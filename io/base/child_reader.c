/*
 * child_reader.c - one byte through a socket says what the child is to read; the answer
 * is a status, a length and the bytes.
 */
#include "io/base/child_reader.h"

#include "io/base/child.h"
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

typedef struct {
    int64_t status, len;
} answer_t;

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

/* In the child: read whenever the parent asks, until it ends. */
static void serve(int socket, child_reader_fn_t fn, const void *arg)
{
    char request;
    ssize_t n;

    while ((n = recv(socket, &request, 1, 0)) == 1 || (n < 0 && errno == EINTR)) {
        buf_t out = {0};
        answer_t answer;

        if (n < 0)
            continue;
        answer.status = fn(arg, request, &out);
        answer.len = answer.status == ST_OK ? (int64_t)out.len : 0;
        if (!send_all(socket, &answer, sizeof(answer)) ||
            !send_all(socket, out.data, (size_t)answer.len))
            break;
        buf_free(&out);
    }
    _exit(EXIT_OK);
}

status_t child_reader_start(int64_t memory_bytes, child_reader_fn_t fn, const void *arg,
                            child_reader_t **out)
{
    child_reader_t *r = calloc(1, sizeof(*r));
    int ends[2];
    status_t st;

    if (r == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(r);
        return log_nomem("a process that reads");
    }
    if ((st = child_fork(memory_bytes, &r->child)) != ST_OK) {
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

status_t child_fetch(child_reader_t *r, int what, buf_t *out)
{
    char request = (char)what;
    answer_t answer;
    status_t st;

    if (r->child.pid == 0)
        return ST_EINPUT; /* its end was logged */
    if (!send_all(r->socket, &request, 1) || !receive_all(r, &answer, sizeof(answer)) ||
        answer.status > ST_OK || answer.len < 0 || answer.len > CHILD_READER_BYTES)
        return log_end(r);
    if (answer.status != ST_OK)
        return (status_t)answer.status;
    if ((st = buf_reserve(out, (size_t)answer.len + 1)) != ST_OK)
        return st;
    if (!receive_all(r, out->data + out->len, (size_t)answer.len))
        return log_end(r);
    out->len += (size_t)answer.len;
    return ST_OK;
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
