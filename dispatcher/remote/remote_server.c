/*
 * remote_server.c - the process of a server that listens.
 */
#include "dispatcher/remote/remote_server.h"

#include "dispatcher/remote/remote_keys.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Clients that are served, and of those the ones that have not proved who they are. */
enum { CLIENTS_MAX = 128, UNKNOWN_MAX = 32 };

static volatile sig_atomic_t stops;

/* The clients that are served, in the order in which they came. */
typedef struct {
    struct {
        pid_t pid;
        int report;                /* where its name comes from; -1: it has come */
        char user[KEY_NAME_BYTES]; /* "": not known */
    } at[CLIENTS_MAX];
    int n;
} clients_t;

static void on_signal(int number)
{
    (void)number;
    stops = 1;
}

/* In the new process: become the program that serves the client. */
static void become_server(int client, int out, char *const *argv, pid_t parent)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(client, STDIN_FILENO) >= 0 &&
        dup2(out, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", argv);
    _exit(EXIT_FAILED);
}

static int count_clients(const clients_t *c, const char *user)
{
    int n = 0;

    for (int i = 0; i < c->n; i++)
        n += strcmp(c->at[i].user, user) == 0;
    return n;
}

/* Log that a client is not served. @param n  clients there are */
static void refuse(const char *user, int n, bool is_limit_of_user)
{
    log_warn("%s is not served: there are %d clients%s", user, n,
             is_limit_of_user ? " of that user (--max-clients)" : "");
}

/* Strangers do not keep users out: the first of those that have not proved who they are
 * makes room. */
static void drop_unknown(clients_t *c)
{
    for (int i = 0; count_clients(c, "") >= UNKNOWN_MAX && i < c->n; i++)
        if (c->at[i].user[0] == '\0') {
            kill(c->at[i].pid, SIGKILL);
            snprintf(c->at[i].user, sizeof(c->at[i].user), "(dropped)");
        }
}

/* Find who a client is, as far as the kernel knows. @return whether it is served */
static bool admit(int client, bool is_secret, int max_clients, clients_t *c,
                  char user[KEY_NAME_BYTES])
{
    struct ucred who = {.pid = -1};
    socklen_t len = sizeof(who);
    int n;

    user[0] = '\0';
    if (is_secret)
        drop_unknown(c);
    else if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0)
        return false;
    else
        snprintf(user, KEY_NAME_BYTES, "user %u", (unsigned)who.uid);
    n = is_secret ? 0 : count_clients(c, user);
    if (n < max_clients && c->n < CLIENTS_MAX)
        return true;
    refuse(is_secret ? "a client" : user, n >= max_clients ? n : c->n, n >= max_clients);
    return false;
}

static void start_server(int client, bool is_secret, int max_clients, char *const *argv,
                         clients_t *c)
{
    const pid_t parent = getpid();
    int report[2] = {-1, -1};
    pid_t pid = -1;
    char user[KEY_NAME_BYTES];

    (void)fcntl(client, F_SETFL, fcntl(client, F_GETFL) & ~O_NONBLOCK);
    if (!admit(client, is_secret, max_clients, c, user))
        return;
    if ((!is_secret || pipe2(report, O_CLOEXEC | O_NONBLOCK) == 0) && (pid = fork()) == 0)
        become_server(client, is_secret ? report[1] : client, argv, parent);
    if (report[1] >= 0)
        close(report[1]);
    if (pid < 0) {
        log_warn("a client is not served: cannot start a process: %s", strerror(errno));
        if (report[0] >= 0)
            close(report[0]);
        return;
    }
    c->at[c->n].pid = pid;
    c->at[c->n].report = report[0];
    strcpy(c->at[c->n++].user, user);
    if (!is_secret)
        log_verbose("%s: process %d serves it", user, (int)pid);
}

/* Note the name of a client that its process has found out. */
static void note_name(clients_t *c, int i, int max_clients)
{
    char user[KEY_NAME_BYTES];
    const ssize_t len = read(c->at[i].report, user, sizeof(user) - 1);
    int n;

    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    close(c->at[i].report);
    c->at[i].report = -1;
    if (len <= 0)
        return; /* its process ends */
    user[len] = '\0';
    n = count_clients(c, user);
    strcpy(c->at[i].user, user);
    if (n >= max_clients) {
        refuse(user, n, true);
        kill(c->at[i].pid, SIGKILL);
    } else {
        log_verbose("%s: process %d serves it", user, (int)c->at[i].pid);
    }
}

/* Forget clients whose processes have ended. */
static void note_ends(clients_t *c)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        for (int i = 0; i < c->n; i++)
            if (c->at[i].pid == pid) {
                if (c->at[i].report >= 0)
                    close(c->at[i].report);
                c->n--;
                memmove(&c->at[i], &c->at[i + 1], (size_t)(c->n - i) * sizeof(c->at[i]));
                break;
            }
}

/* Wait for a client, or for a name. */
static void wait_for_clients(int fd, clients_t *c, int max_clients)
{
    struct pollfd events[1 + CLIENTS_MAX] = {{.fd = fd, .events = POLLIN}};

    for (int i = 0; i < c->n; i++)
        events[1 + i] = (struct pollfd){.fd = c->at[i].report, .events = POLLIN};
    (void)poll(events, 1 + (nfds_t)c->n, 1000);
    for (int i = 0; i < c->n; i++)
        if (c->at[i].report >= 0)
            note_name(c, i, max_clients);
    note_ends(c);
}

void remote_serve(int fd, bool is_secret, int max_clients, char *const *argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    clients_t clients = {.n = 0};

    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    while (!stops) {
        int client;

        wait_for_clients(fd, &clients, max_clients);
        if (!stops && (client = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
            start_server(client, is_secret, max_clients, argv, &clients);
            close(client);
        }
    }
    close(fd);
}
