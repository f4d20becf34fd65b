/*
 * remote_socket.c - Unix sockets of servers, and one process per client.
 */
#include "dispatcher/remote/remote_socket.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLIENTS_MAX = 64, WAITING_MAX = 64, MODE = 0660 };

static volatile sig_atomic_t stops;

/* The clients that are served. */
typedef struct {
    struct {
        pid_t pid;
        uid_t user;
    } at[CLIENTS_MAX];
    int n;
} clients_t;

static void on_signal(int number)
{
    (void)number;
    stops = 1;
}

/* @return whether the path fits */
static bool make_address(const char *path, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(out->sun_path))
        return false;
    strcpy(out->sun_path, path);
    return true;
}

static int connect_to(const struct sockaddr_un *address)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int code;

    if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
        return fd;
    code = errno;
    close(fd);
    errno = code;
    return -1;
}

status_t remote_socket_connect(const char *path, const char *name, int *out)
{
    struct sockaddr_un address;

    errno = ENAMETOOLONG;
    if (make_address(path, &address) && (*out = connect_to(&address)) >= 0)
        return ST_OK;
    log_error("%s: cannot connect: %s; start `ribogrid serve-device --socket %s` there, "
              "and be of its group",
              name, strerror(errno), path);
    return ST_EPEER;
}

/* What an earlier server has left may be removed. */
static void remove_unused(const struct sockaddr_un *address)
{
    struct stat info;
    const int fd = connect_to(address);

    if (fd >= 0)
        close(fd);
    else if (errno == ECONNREFUSED && lstat(address->sun_path, &info) == 0 &&
             S_ISSOCK(info.st_mode))
        unlink(address->sun_path);
}

static status_t listen_at(const char *path, int *out)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address;
    mode_t before;
    bool is_bound = false;

    errno = ENAMETOOLONG;
    if (fd >= 0 && make_address(path, &address)) {
        remove_unused(&address);
        before = umask((mode_t)~MODE & 0777);
        is_bound = bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
        umask(before);
    }
    if (is_bound && listen(fd, WAITING_MAX) == 0) {
        *out = fd;
        return ST_OK;
    }
    log_error("%s: cannot listen: %s; give --socket another path, or end the server that "
              "has it",
              path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return ST_EIO;
}

/* In the new process: become the program that serves the client. */
static void become_server(int client, char *const *argv, pid_t parent)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(client, STDIN_FILENO) >= 0 &&
        dup2(client, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", argv);
    _exit(EXIT_FAILED);
}

static int count_clients(const clients_t *c, uid_t user)
{
    int n = 0;

    for (int i = 0; i < c->n; i++)
        n += c->at[i].user == user;
    return n;
}

static void start_server(int client, int max_clients, char *const *argv, clients_t *c)
{
    const pid_t parent = getpid();
    struct ucred who = {.pid = -1};
    socklen_t len = sizeof(who);
    pid_t pid;
    int n;

    (void)fcntl(client, F_SETFL, fcntl(client, F_GETFL) & ~O_NONBLOCK);
    if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0)
        return;
    n = count_clients(c, who.uid);
    if (n >= max_clients || c->n == CLIENTS_MAX) {
        log_warn("user %u is not served: there are %d clients%s", (unsigned)who.uid,
                 n >= max_clients ? n : c->n,
                 n >= max_clients ? " of that user (--max-clients)" : "");
        return;
    }
    if ((pid = fork()) == 0)
        become_server(client, argv, parent);
    if (pid < 0) {
        log_warn("user %u is not served: cannot start a process: %s", (unsigned)who.uid,
                 strerror(errno));
        return;
    }
    c->at[c->n].pid = pid;
    c->at[c->n++].user = who.uid;
    log_verbose("user %u: process %d serves process %d", (unsigned)who.uid, (int)pid,
                (int)who.pid);
}

/* Forget clients whose processes have ended. */
static void note_ends(clients_t *c)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        for (int i = 0; i < c->n; i++)
            if (c->at[i].pid == pid) {
                c->at[i] = c->at[--c->n];
                break;
            }
}

status_t remote_socket_serve(const char *path, int max_clients, char *const *argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    clients_t clients = {.n = 0};
    int fd;
    status_t st = listen_at(path, &fd);

    if (st != ST_OK)
        return st;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    log_info("%s: waiting for clients", path);
    while (!stops) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int client;

        (void)poll(&p, 1, 1000);
        note_ends(&clients);
        if (!stops && (client = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
            start_server(client, max_clients, argv, &clients);
            close(client);
        }
    }
    close(fd);
    unlink(path);
    return ST_OK;
}
