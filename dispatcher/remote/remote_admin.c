/*
 * remote_admin.c - requests of who runs a server, and their answers.
 */
#include "dispatcher/remote/remote_admin.h"

#include "dispatcher/remote/remote_socket.h"
#include "dispatcher/transport/transport_stream.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { REQUEST_BYTES = 64, WAIT_MS = 1000, RUNS_MAX = 256 };

/* Moves by time: what a device takes at most has to become less by this. */
static const double min_gain = 0.8;

/* ---- runs, as their processes say ---- */

typedef struct {
    const admin_run_t *run;
    int device; /* -1: not known yet */
    int rank;
    uint64_t number; /* of the run */
    bool is_busy, moved;
    double left_s; /* < 0: not known */
    int64_t n_tasks;
    char job[PAGE_JOB_BYTES];
} row_t;

static row_t read_row(const admin_run_t *run)
{
    const remote_page_t *p = run->page;
    row_t r = {.run = run,
               .device = page_device(p),
               .rank = p->rank,
               .number = p->run,
               .is_busy = p->is_busy != 0,
               .left_s = (double)p->left_ms / 1000,
               .n_tasks = p->n_tasks};

    memcpy(r.job, p->job, sizeof(r.job));
    r.job[sizeof(r.job) - 1] = '\0';
    for (char *c = r.job; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != ' ' && *c != '-')
            *c = '?';
    return r;
}

/* ---- requests ---- */

static status_t print_list(buf_t *out, const row_t *rows, int n, uint64_t locked)
{
    status_t st =
        buf_printf(out, "+device\tuser\tprocess\tcommand\tdone\tseconds\tstate\n");

    for (int i = 0; st == ST_OK && i < n; i++) {
        const row_t *r = &rows[i];

        if (r->device >= 0)
            st = buf_printf(out, "%d\t%s\t%d\t%s\t%" PRId64 "\t%.0f\t%s\n", r->device,
                            r->run->user, r->run->pid, r->job, r->n_tasks,
                            clock_now_s() - r->run->since_s,
                            page_devices_have(locked, r->device) ? "leaves"
                            : r->is_busy                         ? "computes"
                                                                 : "waits");
    }
    for (int d = 0; st == ST_OK && locked != UINT64_MAX && d < PAGE_DEVICES_MAX; d++)
        if (page_devices_have(locked, d))
            st = buf_printf(out, "%d\t-\t-\t-\t-\t-\tlocked\n", d);
    return st == ST_OK && locked == UINT64_MAX
               ? buf_printf(out, "all\t-\t-\t-\t-\t-\tlocked\n")
               : st;
}

/* Answer how many runs are on the devices of the mask: a process looks at the lock after
 * it has said which one it uses. */
static status_t set_locked(buf_t *out, const row_t *rows, int n, uint64_t mask,
                           uint64_t *locked, bool locks)
{
    int n_there = 0;

    *locked = locks ? *locked | mask : *locked & ~mask;
    for (int i = 0; i < n; i++) {
        rows[i].run->page->locked = *locked;
        n_there += page_devices_have(mask, page_device(rows[i].run->page));
    }
    return buf_printf(out, "+%d\n", n_there);
}

static void order_move(row_t *r, int to)
{
    r->moved = true;
    r->run->page->to = to;
    r->run->page->n_moves++;
}

static status_t move(buf_t *out, row_t *rows, int n, int pid)
{
    for (int i = 0; i < n; i++)
        if (rows[i].run->pid == pid && rows[i].is_busy) {
            order_move(&rows[i], 0);
            return buf_printf(out, "+\n");
        }
    return buf_printf(out,
                      "-process %d computes nothing here; `ribogrid device list` "
                      "lists those that do\n",
                      pid);
}

/* ---- moves between the devices of a server ---- */

typedef struct {
    row_t *rows;
    int n;
    bool by_time;
    uint64_t locked;
    double load[PAGE_DEVICES_MAX]; /* runs, or seconds */
    double n_busy;
} balance_t;

static double weight(const balance_t *b, const row_t *r)
{
    return !r->is_busy || r->device < 0 ? 0
           : !b->by_time                ? 1
           : r->left_s > 0              ? r->left_s
                                        : 0;
}

static bool is_sibling(const row_t *a, const row_t *b)
{
    return a->number == b->number && strcmp(a->run->user, b->run->user) == 0 &&
           a->rank != b->rank;
}

/* @return how much less the fuller of two devices takes after a move, as a fraction of
 * what it takes now; 0: it is not worth it */
static double gain(const balance_t *b, const row_t *r, const row_t *to)
{
    const double w = weight(b, r), from = b->load[r->device], at = b->load[to->device];
    const double after = from - w > at + w ? from - w : at + w;

    if (w <= 0 || to->is_busy || to->device == r->device ||
        page_devices_have(b->locked, to->device))
        return 0;
    if (!b->by_time) /* the research's rule, and what would only change places stays */
        return from - at > b->n_busy / 2 && from - at >= 2 ? 1 - after / from : 0;
    return after < min_gain * from ? 1 - after / from : 0;
}

/* Order the best move. @return whether there was one */
static bool move_best(balance_t *b)
{
    row_t *best = NULL;
    const row_t *to = NULL;
    double most = 0;

    for (int i = 0; i < b->n; i++)
        for (int k = 0; !b->rows[i].moved && k < b->n; k++) {
            row_t *r = &b->rows[i];
            const row_t *other = &b->rows[k];

            if (r->device < 0 || other->device < 0 || !is_sibling(r, other) ||
                gain(b, r, other) <= most)
                continue;
            most = gain(b, r, other);
            best = r;
            to = other;
        }
    if (best == NULL)
        return false;
    b->load[best->device] -= weight(b, best);
    b->load[to->device] += weight(b, best);
    order_move(best, to->rank);
    return true;
}

static status_t rebalance(buf_t *out, row_t *rows, int n, bool by_time, uint64_t locked)
{
    balance_t b = {.rows = rows, .n = n, .by_time = by_time, .locked = locked};
    int n_moves = 0;

    for (int i = 0; i < n; i++)
        if (rows[i].device >= 0) {
            b.load[rows[i].device] += weight(&b, &rows[i]);
            b.n_busy += rows[i].is_busy;
        }
    while (move_best(&b))
        n_moves++;
    return buf_printf(out, "+%d\n", n_moves);
}

/* ---- connections ---- */

/* @return a line without its end, or NULL */
static char *read_request(int fd, char line[REQUEST_BYTES])
{
    const double until_s = clock_now_s() + 1e-3 * WAIT_MS;
    size_t len = 0;

    while (len < REQUEST_BYTES - 1 && clock_now_s() < until_s) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t got;

        if (poll(&p, 1, WAIT_MS) <= 0 ||
            (got = recv(fd, line + len, REQUEST_BYTES - 1 - len, MSG_DONTWAIT)) <= 0)
            return NULL;
        len += (size_t)got;
        line[len] = '\0';
        if (line[len - 1] == '\n') {
            line[len - 1] = '\0';
            return line;
        }
    }
    return NULL;
}

static status_t answer(const char *line, row_t *rows, int n, uint64_t *locked, buf_t *out)
{
    uint64_t mask;
    int pid, end = 0;

    if (strcmp(line, "list") == 0)
        return print_list(out, rows, n, *locked);
    if (sscanf(line, "drain %" SCNx64 "%n", &mask, &end) == 1 && line[end] == '\0')
        return set_locked(out, rows, n, mask, locked, true);
    if (sscanf(line, "unlock %" SCNx64 "%n", &mask, &end) == 1 && line[end] == '\0')
        return set_locked(out, rows, n, mask, locked, false);
    if (sscanf(line, "move %d%n", &pid, &end) == 1 && line[end] == '\0')
        return move(out, rows, n, pid);
    if (strcmp(line, "rebalance calls") == 0 || strcmp(line, "rebalance time") == 0)
        return rebalance(out, rows, n, strcmp(line, "rebalance time") == 0, *locked);
    return buf_printf(out,
                      "-this server knows no such request; is it of another version?\n");
}

void remote_admin_answer(int fd, const admin_run_t *runs, int n, uint64_t *locked)
{
    static row_t rows[RUNS_MAX];
    char line[REQUEST_BYTES];
    buf_t out = {0};

    n = n < RUNS_MAX ? n : RUNS_MAX;
    for (int i = 0; i < n; i++)
        rows[i] = read_row(&runs[i]);
    if (read_request(fd, line) != NULL && answer(line, rows, n, locked, &out) == ST_OK &&
        send(fd, out.data, out.len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        log_verbose("nobody takes an answer about devices: %s", strerror(errno));
    buf_free(&out);
    close(fd);
}

/* ---- who asks ---- */

/* A server that is silent for STREAM_SILENCE_S does not answer. */
static status_t exchange_lines(int fd, const char *request, buf_t *out)
{
    const struct timeval silence = {.tv_sec = STREAM_SILENCE_S};
    status_t st = ST_OK;
    ssize_t got = 1;

    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence)) != 0 ||
        send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
        return ST_EPEER;
    while (st == ST_OK && (got > 0 || (got < 0 && errno == EINTR)))
        if ((st = buf_reserve(out, 4096)) == ST_OK &&
            (got = read(fd, out->data + out->len, 4096)) > 0)
            out->len += (size_t)got;
    return st == ST_OK && (got < 0 || out->len == 0) ? ST_EPEER : st;
}

status_t remote_admin_ask(const char *path, const char *request, buf_t *out)
{
    int fd;
    status_t st = remote_socket_connect(SOCKET_CONTROL, path, path, &fd);

    out->len = 0;
    if (st != ST_OK)
        return st;
    if ((st = exchange_lines(fd, request, out)) == ST_EPEER)
        log_error("%s: the server does not answer; check that it runs", path);
    close(fd);
    if (st == ST_OK)
        st = buf_append(out, "", 1);
    if (st != ST_OK || out->data[0] == '+')
        return st;
    log_error("%s: %.*s", path, (int)strcspn((const char *)out->data + 1, "\n"),
              (const char *)out->data + 1);
    return ST_EINPUT;
}
