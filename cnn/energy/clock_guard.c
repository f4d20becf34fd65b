/*
 * clock_guard.c - the process that waits for the end of another one.
 */
#include "cnn/energy/energy_meter.h"

#include "io/base/logmsg.h"
#include "kernels/device/device.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct clock_guard {
    pid_t process;
    int socket;
};

/* Of the messages: which GPU's clock to give back; empty: none. */
typedef struct {
    char uuid[DEVICE_UUID_BYTES];
} order_t;

static ssize_t receive(int socket, order_t *out)
{
    ssize_t n;

    do
        n = recv(socket, out, sizeof(*out), 0);
    while (n < 0 && errno == EINTR);
    return n;
}

/* In the process of the guard: obey the last order once the other side is closed. */
static void watch(int socket)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1};
    order_t order = {""}, next = {""};
    char why[NVML_WHY_BYTES];
    nvml_t *nvml;

    setsid(); /* signals to the group of processes do not end it */
    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        signal(ignored[i], SIG_IGN);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    (void)!send(socket, &order, sizeof(order), MSG_NOSIGNAL); /* ready */
    while (receive(socket, &next) == (ssize_t)sizeof(next))
        order = next;
    if (order.uuid[0] == '\0')
        return;
    if ((nvml = nvml_open(order.uuid, why)) == NULL) {
        log_error("cannot give the GPU's clock back: %s; run `nvidia-smi -rgc`", why);
        return;
    }
    nvml_reset_core_clock(nvml);
    nvml_close(nvml);
}

status_t clock_guard_start(clock_guard_t **out)
{
    clock_guard_t *g = calloc(1, sizeof(*g));
    order_t ready;
    int ends[2];

    if (g == NULL)
        return log_nomem("the guard of the clocks");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        log_error("cannot guard the GPU's clocks: %s", strerror(errno));
        free(g);
        return ST_EIO;
    }
    if ((g->process = fork()) == 0) {
        close(ends[0]);
        watch(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    g->socket = ends[0];
    if (g->process < 0 || receive(g->socket, &ready) != (ssize_t)sizeof(ready)) {
        log_error("cannot guard the GPU's clocks: %s", strerror(errno));
        close(g->socket);
        free(g);
        return ST_EIO;
    }
    *out = g;
    return ST_OK;
}

status_t clock_guard_arm(clock_guard_t *g, const char *uuid)
{
    order_t order = {""};

    strncpy(order.uuid, uuid, sizeof(order.uuid) - 1);
    if (send(g->socket, &order, sizeof(order), MSG_NOSIGNAL) == (ssize_t)sizeof(order))
        return ST_OK;
    log_error("cannot guard the GPU's clocks: %s", strerror(errno));
    return ST_EIO;
}

void clock_guard_end(clock_guard_t *g)
{
    const order_t none = {""};

    if (g == NULL)
        return;
    (void)!send(g->socket, &none, sizeof(none), MSG_NOSIGNAL); /* it may be gone */
    close(g->socket);
    while (waitpid(g->process, NULL, 0) < 0 && errno == EINTR)
        ;
    free(g);
}
