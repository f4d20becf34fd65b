/*
 * remote_server.c - the process of a server that listens.
 */
#include "dispatcher/remote/remote_server.h"

#include "dispatcher/remote/remote_admin.h"
#include "dispatcher/remote/remote_cache.h"
#include "dispatcher/remote/remote_hello.h"
#include "dispatcher/remote/remote_turns.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Processes at the same time, and of those the ones whose clients have not proved who
 * they are. */
enum { CHILDREN_MAX = 256, STRANGERS_MAX = 32 };

/* Connections that have not said anything yet, and how long they may take. */
enum { SILENT_MAX = 256 };
static const double silent_s = HELLO_SERVER_S;

enum { LOOK_MS = 1000, TURN_LOOK_MS = 20 };

/* A process that ends at once, for whatever reason, is replaced as often. */
static const double warm_again_s = 1;

static volatile sig_atomic_t stops;

typedef enum { WARM, SERVING, GREETING, ENDING } role_t;

typedef struct {
    pid_t pid;
    int control; /* -1: it says nothing any more */
    role_t role;
    char user[KEY_NAME_BYTES]; /* "": not known */
    double since_s;            /* when its client came (clock_now_s) */
    remote_page_t *page;       /* of one that serves a client */
    user_limits_t limits;
    turn_t turn;
} child_t;

typedef struct {
    int fd;
    double since_s; /* clock_now_s */
} silent_t;

typedef struct {
    const remote_server_t *opts;
    child_t at[CHILDREN_MAX]; /* in the order in which they were started */
    int n;
    silent_t silent[SILENT_MAX]; /* likewise */
    int n_silent;
    remote_cache_t cache;
    double warmed_s; /* when a process was started that waits (clock_now_s) */
    uint64_t locked; /* a bit per device that is being emptied */
    remote_turns_t turns;
    remote_limits_t limits;
} server_t;

static void on_signal(int number)
{
    (void)number;
    stops = 1;
}

/* ---- processes ---- */

/* In the new process: become the program that does the work. */
static void become_child(int control, char *const *argv, pid_t parent)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(control, STDIN_FILENO) >= 0)
        execv("/proc/self/exe", argv);
    _exit(EXIT_FAILED);
}

/* @return the new process, or NULL (logged) */
static child_t *start_child(server_t *s, role_t role)
{
    const pid_t parent = getpid();
    int ends[2] = {-1, -1};
    pid_t pid = -1;

    if (s->n == CHILDREN_MAX) {
        log_warn("a client is not served: there are %d processes", s->n);
        return NULL;
    }
    if (control_pair(ends) && (pid = fork()) == 0)
        become_child(ends[1], role == GREETING ? s->opts->greet : s->opts->serve, parent);
    if (ends[1] >= 0)
        close(ends[1]);
    if (pid > 0) {
        s->at[s->n] = (child_t){.pid = pid, .control = ends[0], .role = role};
        return &s->at[s->n++];
    }
    log_warn("a client is not served: cannot start a process: %s", strerror(errno));
    if (ends[0] >= 0)
        close(ends[0]);
    return NULL;
}

static void end_child(child_t *c)
{
    kill(c->pid, SIGKILL);
    c->role = ENDING;
}

static int count(const server_t *s, role_t role, const char *user)
{
    int n = 0;

    for (int i = 0; i < s->n; i++)
        n += s->at[i].role == role && strcmp(s->at[i].user, user) == 0;
    return n;
}

/* @return the first process of a role that is not a user's yet, or NULL */
static child_t *first(server_t *s, role_t role)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].role == role && s->at[i].user[0] == '\0')
            return &s->at[i];
    return NULL;
}

static turn_run_t run_of(child_t *c)
{
    const int device = c->page != NULL ? page_device(c->page) : -1;

    return (turn_run_t){c->user, c->limits.weight, c->page, device, &c->turn};
}

/* @param out  [CHILDREN_MAX] @return how many runs are served */
static int list_runs(server_t *s, turn_run_t *out)
{
    int n = 0;

    for (int i = 0; i < s->n; i++)
        if (s->at[i].role == SERVING && s->at[i].page != NULL)
            out[n++] = run_of(&s->at[i]);
    return n;
}

static void keep_warm(server_t *s)
{
    const double now = clock_now_s();

    if (count(s, WARM, "") < s->opts->n_warm && now - s->warmed_s >= warm_again_s &&
        start_child(s, WARM) != NULL)
        s->warmed_s = now;
}

static void remove_child(server_t *s, child_t *c)
{
    const turn_run_t run = run_of(c);

    remote_turns_end(&s->turns, &run, clock_now_s());
    if (c->control >= 0)
        close(c->control);
    remote_page_free(c->page);
    s->n--;
    memmove(c, c + 1, (size_t)(&s->at[s->n] - c) * sizeof(*c));
}

/* Forget processes that have ended. */
static void note_ends(server_t *s)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        for (int i = 0; i < s->n; i++)
            if (s->at[i].pid == pid) {
                remove_child(s, &s->at[i]);
                break;
            }
}

/* ---- clients ---- */

/* Give a process its client, and the memory that it shares with this one.
 * @return whether it has both */
static bool hand_over(server_t *s, child_t *c, int client)
{
    control_t m = {.kind = CONTROL_CLIENT,
                   .memory_bytes = c->limits.memory_bytes,
                   .device_bytes = c->limits.device_bytes};
    int fd;
    bool is_sent;

    strcpy(m.user, c->user);
    if ((c->page = remote_page_create(&fd)) == NULL)
        return false;
    c->page->locked = s->locked;
    is_sent = control_send(c->control, &m, client);
    m.kind = CONTROL_PAGE;
    is_sent = is_sent && control_send(c->control, &m, fd);
    close(fd);
    return is_sent;
}

/* Have a client told that its user has too many. */
static void refuse(server_t *s, const char *user, int64_t n_clients, int client)
{
    const control_t m = {.kind = CONTROL_REFUSE};
    child_t *c;

    log_warn("%s is not served: there are %" PRId64
             " clients of that user (--max-clients, or clients= of --limits)",
             user, n_clients);
    if (count(s, ENDING, user) >= n_clients || (c = start_child(s, ENDING)) == NULL)
        return;
    strcpy(c->user, user);
    (void)control_send(c->control, &m, client);
}

/* Read the limits anew; without, those that were read before hold. */
static user_limits_t limits_of(server_t *s, const char *user)
{
    remote_limits_t now;

    if (s->opts->limits_path != NULL &&
        remote_limits_read(s->opts->limits_path, &s->opts->fallback, &now) == ST_OK) {
        remote_limits_free(&s->limits);
        s->limits = now;
    }
    return remote_limits_of(&s->limits, user, &s->opts->fallback);
}

/* Have a client served whose user is known. */
static void serve(server_t *s, const char *user, int client)
{
    const user_limits_t limits = limits_of(s, user);
    child_t *c;

    if (count(s, SERVING, user) >= limits.n_clients) {
        refuse(s, user, limits.n_clients, client);
        return;
    }
    if ((c = first(s, WARM)) == NULL && (c = start_child(s, WARM)) == NULL)
        return;
    strcpy(c->user, user);
    c->role = SERVING;
    c->since_s = clock_now_s();
    c->limits = limits;
    if (hand_over(s, c, client))
        log_verbose("%s: process %d serves it", user, (int)c->pid);
    else
        end_child(c);
}

/* @return whether a connection begins as TLS does (RFC 8446: a record of a handshake, in
 * it a ClientHello); it has said something */
static bool begins_tls(int client)
{
    unsigned char head[6];

    return recv(client, head, sizeof(head), MSG_PEEK | MSG_DONTWAIT) ==
               (ssize_t)sizeof(head) &&
           head[0] == 22 && head[1] == 3 && head[5] == 1;
}

/* Have a process find out who a client is.  Strangers do not keep users out: the first
 * one makes room. */
static void greet(server_t *s, int client)
{
    const control_t m = {.kind = CONTROL_CLIENT};
    child_t *c;

    if (!begins_tls(client)) {
        log_verbose("a client that does not speak TLS is left");
        return;
    }
    while (count(s, GREETING, "") >= STRANGERS_MAX)
        end_child(first(s, GREETING));
    if ((c = start_child(s, GREETING)) != NULL && !control_send(c->control, &m, client))
        end_child(c);
}

/* A client that says something gets a process. @param client  closed */
static void take_client(server_t *s, int client)
{
    struct ucred who = {.pid = -1};
    socklen_t len = sizeof(who);
    char user[KEY_NAME_BYTES];

    if (s->opts->greet != NULL) {
        greet(s, client);
    } else if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0) {
        snprintf(user, sizeof(user), "user %u", (unsigned)who.uid);
        serve(s, user, client);
    }
    close(client);
}

/* @return the connection, which is in the list no more */
static int remove_silent(server_t *s, int i)
{
    const int fd = s->silent[i].fd;

    s->n_silent--;
    memmove(&s->silent[i], &s->silent[i + 1],
            (size_t)(s->n_silent - i) * sizeof(s->silent[i]));
    return fd;
}

static void accept_client(server_t *s)
{
    const int client = accept4(s->opts->fd, NULL, NULL, SOCK_CLOEXEC);

    if (client < 0)
        return;
    if (s->n_silent == SILENT_MAX)
        close(remove_silent(s, 0));
    s->silent[s->n_silent++] = (silent_t){client, clock_now_s()};
}

/* Those that have come so far: take who has said something.
 * @param events  [n] of them */
static void look_at_silent(server_t *s, const struct pollfd *events, int n)
{
    const double now = clock_now_s();

    for (int i = n - 1; i >= 0; i--) {
        if (events[i].revents != 0) {
            take_client(s, remove_silent(s, i));
        } else if (now - s->silent[i].since_s > silent_s) {
            log_verbose("a client that says nothing is left");
            close(remove_silent(s, i));
        }
    }
}

/* ---- packets ---- */

/* @return how many other runs compute on a process's device, as their processes say */
static int count_others(const server_t *s, const child_t *c)
{
    int n = 0;

    for (int i = 0; i < s->n; i++) {
        const child_t *other = &s->at[i];

        n += other != c && other->role == SERVING && other->page != NULL &&
             other->page->is_busy != 0 && other->page->device == c->page->device;
    }
    return n;
}

static void act_on_turn(server_t *s, child_t *c, bool asks)
{
    const turn_run_t run = run_of(c);
    turn_run_t all[CHILDREN_MAX];
    const int n = list_runs(s, all);
    const double now = clock_now_s();

    if (asks)
        remote_turns_ask(&s->turns, &run, now);
    else
        remote_turns_end(&s->turns, &run, now);
    remote_turns_look(&s->turns, all, n, now);
}

/* @return whether the process may send it */
static bool act_on(server_t *s, child_t *c, const control_t *m, int *fd)
{
    control_t answer = {.kind = CONTROL_FOUND};

    if (m->kind == CONTROL_CLIENT && c->role == GREETING && c->user[0] == '\0' &&
        m->user[0] != '\0' && *fd >= 0) {
        strcpy(c->user, m->user);
        serve(s, m->user, *fd);
        return true;
    }
    if (c->role != SERVING)
        return false;
    if (m->kind == CONTROL_TURN || m->kind == CONTROL_TURN_END) {
        act_on_turn(s, c, m->kind == CONTROL_TURN);
        return true;
    }
    if (m->kind == CONTROL_FIND)
        return control_send(c->control, &answer,
                            remote_cache_find(&s->cache, c->user, m->digest));
    if (m->kind == CONTROL_LOAD) {
        c->page->n_others = count_others(s, c);
        return control_send(c->control, m, -1);
    }
    if (m->kind != CONTROL_KEEP)
        return false;
    remote_cache_keep(&s->cache, c->user, m->digest, *fd);
    *fd = -1;
    return true;
}

static void receive(server_t *s, child_t *c)
{
    control_t m;
    int fd;
    const int got = control_receive(c->control, false, &m, &fd);

    if (got > 0 && !act_on(s, c, &m, &fd)) {
        log_warn("%s: process %d is ended: it sent what it may not",
                 c->user[0] != '\0' ? c->user : "a client", (int)c->pid);
        end_child(c);
    }
    if (got < 0) {
        close(c->control);
        c->control = -1;
    }
    if (fd >= 0)
        close(fd);
}

/* Answer who runs the server. */
static void answer_control(server_t *s)
{
    admin_run_t runs[CHILDREN_MAX];
    const int fd = accept4(s->opts->control, NULL, NULL, SOCK_CLOEXEC);
    int n = 0;

    note_ends(s);
    for (int i = 0; i < s->n; i++)
        if (s->at[i].role == SERVING && s->at[i].page != NULL)
            runs[n++] = (admin_run_t){(int)s->at[i].pid, s->at[i].user, s->at[i].since_s,
                                      s->at[i].page};
    if (fd >= 0)
        remote_admin_answer(fd, runs, n, &s->locked);
}

/* Give turns. */
static void look_at_turns(server_t *s)
{
    turn_run_t all[CHILDREN_MAX];
    const int n = list_runs(s, all);

    remote_turns_look(&s->turns, all, n, clock_now_s());
}

/* @return how long to wait for something: not long while a turn may have to end */
static int look_ms(const server_t *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].turn.state == TURN_WAITS)
            return TURN_LOOK_MS;
    return LOOK_MS;
}

/* Wait for a client, for what one says, for packets, or for who runs the server. */
static void wait_for_any(server_t *s)
{
    static struct pollfd events[CHILDREN_MAX + SILENT_MAX + 2];
    const int n = s->n, n_silent = s->n_silent; /* what is done below may change them */
    struct pollfd *silent = events + n, *listener = silent + n_silent;

    for (int i = 0; i < n; i++)
        events[i] = (struct pollfd){.fd = s->at[i].control, .events = POLLIN};
    for (int i = 0; i < n_silent; i++)
        silent[i] = (struct pollfd){.fd = s->silent[i].fd, .events = POLLIN};
    listener[0] = (struct pollfd){.fd = s->opts->fd, .events = POLLIN};
    listener[1] = (struct pollfd){.fd = s->opts->control, .events = POLLIN};
    if (poll(events, (nfds_t)(n + n_silent + 2), look_ms(s)) < 0)
        return;
    for (int i = 0; i < n; i++)
        if (events[i].revents != 0)
            receive(s, &s->at[i]);
    look_at_silent(s, silent, n_silent);
    if (listener[0].revents != 0)
        accept_client(s);
    if (listener[1].revents != 0)
        answer_control(s);
    note_ends(s);
    look_at_turns(s);
}

void remote_serve(const remote_server_t *opts)
{
    static server_t s; /* its table of inputs is large */
    struct sigaction action = {.sa_handler = on_signal};

    s = (server_t){.opts = opts,
                   .limits = opts->limits,
                   .cache = {.max_bytes = opts->cache_bytes}};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    s.warmed_s = clock_now_s() - warm_again_s;
    while (!stops) {
        keep_warm(&s);
        wait_for_any(&s);
    }
    remote_cache_free(&s.cache);
    remote_limits_free(&s.limits);
    close(opts->fd);
    if (opts->control >= 0)
        close(opts->control);
}
